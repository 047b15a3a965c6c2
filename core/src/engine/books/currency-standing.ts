import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import { targetOf } from '../../domain/inventory-targets.js';
import type { EngineContext } from '../base/context.js';
import { hasInventory } from '../base/lanes.js';
import type { InventoryView } from './inventory.js';

/** Of one currency of a chain, over all its lanes but those of former signers. Smallest unit. */
export interface CurrencyStanding {
  /** By the books. */
  readonly held: bigint;
  /** Promised to fills that are in no block yet. */
  readonly reserved: bigint;
  /** What new quotes may promise. */
  readonly available: bigint;
  /** Null: none is configured. */
  readonly target: bigint | null;
  readonly min: bigint | null;
}

/** Figures that the overview and the inventory report have in common. */
export function currencyStanding(
  context: EngineContext,
  view: Pick<InventoryView, 'ledger' | 'reserved' | 'available'>,
  chain: ChainAdapter,
  currency: Currency,
): CurrencyStanding {
  const { chainId, address } = currency;
  const target = targetOf(context.policy.inventoryTargets ?? [], currency);
  const lanes = chain.lanes.filter((lane) => hasInventory(lane) && lane.former !== true);
  const sum = (of: (signer: string) => bigint) => lanes.reduce((total, { signer }) => total + of(signer), 0n);
  return {
    held: sum((signer) => view.ledger(chainId, signer, address)),
    reserved: sum((signer) => view.reserved(chainId, signer, address)),
    available: view.available(context, chainId, address),
    target: target?.target ?? null,
    min: target?.min ?? null,
  };
}
