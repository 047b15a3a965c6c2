import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { DepositRow, LegRow, RequestRow } from '../contract/store-rows.js';
import type { EngineContext } from './context.js';
import { lastingReason } from './give-up.js';
import { orderOf } from './reported-deposits.js';

/** Who has to be proven before a transfer is paid back, as far as is known without asking the chain. */
export type Payer =
  /** An order of ours, an operator, or the payer's own signature names the recipient. */
  | 'named'
  /** The chain has to prove that the depositor alone paid. */
  | 'unproven'
  /** The depositor keeps the money of many: what comes back to it is lost to whoever paid. */
  | 'custodian';

/**
 * Whom a transfer that nothing was promised for, or that arrived on another chain than its order's, may be paid back to.
 *
 * Invariant: such a refund goes to the depositor by itself only where the chain proves it to be the one party that paid;
 * otherwise it is held, and whoever is entitled to it asks.
 */
export function payerOf(
  context: EngineContext,
  chain: ChainAdapter,
  leg: LegRow,
  request: RequestRow | undefined,
  deposit: DepositRow | undefined,
): Payer {
  if (leg.kind !== 'refund' || !request || !deposit || lastingReason(leg) !== '') return 'named';
  const order = orderOf(request);
  if (order && order.origin.chainId === deposit.chainId) return 'named';
  if (context.policy.custodians.get(deposit.chainId)?.has(deposit.depositor)) return 'custodian';
  return order === undefined && chain.facts.namesDepositors ? 'named' : 'unproven';
}
