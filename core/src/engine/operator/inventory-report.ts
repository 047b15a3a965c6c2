import type { ChainId } from '../../contract/ids.js';
import { account } from '../../domain/accounts.js';
import type { EngineContext } from '../base/context.js';
import { laneFor } from '../base/lanes.js';
import { currencyStanding } from '../books/currency-standing.js';
import type { InventoryView } from '../books/inventory.js';
import { type Debts, readDebts, type Withdrawable, withdrawableOf } from './withdrawable.js';

/** Of one currency of a chain. Amounts in the smallest unit. */
export interface InventoryRow {
  readonly chainId: ChainId;
  readonly chain: string;
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Currencies of one group are the same asset. */
  readonly group: string;
  /** The filling lane's account, which top-ups are sent to. */
  readonly signer: string;
  /** By the books. */
  readonly held: bigint;
  /** What new quotes may promise. */
  readonly available: bigint;
  readonly depository: bigint;
  /** Undefined where more is under way than can be read. */
  readonly parts: Withdrawable | undefined;
  /** USD per whole unit; null without a price. */
  readonly usd: string | null;
  readonly target: bigint | null;
  readonly min: bigint | null;
}

export async function inventoryReport(context: EngineContext, view: InventoryView): Promise<readonly InventoryRow[]> {
  const debts = await readDebts(context, (chainId, currency) => view.promised(chainId, currency));
  const rows: InventoryRow[] = [];
  for (const chain of context.chains.values()) {
    const { id: chainId, name } = chain.facts;
    const signer = laneFor(context, chainId, 'fill');
    const parts = await withdrawableOf(context, chain, debts);
    for (const currency of chain.currencies()) {
      const { address, symbol, decimals, group } = currency;
      const price = context.prices.price(currency);
      const { available, target, min } = currencyStanding(context, view, chain, currency);
      rows.push({
        ...{ chainId, chain: name, currency: address, symbol, decimals, group, signer },
        held: potOf(debts, account.inventory(chainId, signer, address)),
        available,
        depository: potOf(debts, account.depository(chainId, address)),
        parts: parts?.get(address),
        usd: price.ok ? price.usd : null,
        ...{ target, min },
      });
    }
  }
  return rows;
}

function potOf({ pots }: Debts, name: string): bigint {
  return pots.get(name) ?? 0n;
}
