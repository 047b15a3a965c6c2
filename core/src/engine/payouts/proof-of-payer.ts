import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegCheck } from '../../contract/legs.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import { orderOf } from '../books/reported-deposits.js';

/** Known without asking the chain. */
export type Payer =
  /** An order, an operator or the payer's signature names the recipient. */
  | 'named'
  /** The chain must prove that the depositor alone paid. */
  | 'unproven'
  /** The depositor holds many users' money: a refund would not reach the payer. */
  | 'custodian';

/** The address may be shared by many users, or have no owner: held until claimed. */
export const UNPROVEN: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'UNKNOWN',
  message: 'the chain does not prove that the depositor alone paid',
};

export function isUnproven(check: LegCheck): boolean {
  return check === UNPROVEN;
}

export type Wanting = Exclude<Payer, 'named'>;

/** Undefined where the leg was signed before, so that an operator checks what happened. */
export function wantingProof(leg: LegRow, payer: Wanting): Wanting | undefined {
  const signedFor = leg.spent > 0n || leg.reverts > 0 || leg.closings > 0;
  return signedFor ? undefined : payer;
}

export function wantsProof(leg: Pick<LegRow, 'kind' | 'state' | 'reason'>): boolean {
  const { state, reason } = leg;
  return factsOf(leg).replacesFill && state === 'held' && (reason === 'unproven' || reason === 'custodian');
}

/**
 * Who may get a transfer that has no promise, or is on another chain than its order's.
 *
 * Invariant: it goes automatically only to a depositor proven to be the only payer; otherwise it is held until
 * claimed.
 */
export function payerOf(
  context: EngineContext,
  chain: ChainAdapter,
  leg: LegRow,
  request: RequestRow | undefined,
  deposit: DepositRow | undefined,
): Payer {
  if (!factsOf(leg).replacesFill || !request || !deposit || leg.releasedBy !== null) return 'named';
  const order = orderOf(request);
  if (order && order.origin.chainId === deposit.chainId) return 'named';
  if (context.policy.custodians.get(deposit.chainId)?.has(deposit.depositor)) return 'custodian';
  const names = chain.facts.namesDepositors === true && chain.namesDepositor?.(deposit.fundingKey) !== false;
  return order === undefined && names ? 'named' : 'unproven';
}
