import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegCheck } from '../../contract/legs.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { EngineContext } from '../base/context.js';
import { orderOf } from '../books/reported-deposits.js';

/** Who has to be proven before a transfer is paid back, as far as is known without asking the chain. */
export type Payer =
  /** An order of ours, an operator, or the payer's own signature names the recipient. */
  | 'named'
  /** The chain has to prove that the depositor alone paid. */
  | 'unproven'
  /** The depositor keeps the money of many people: a payment back to it would not reach the one who paid. */
  | 'custodian';

/** The depositor's address may stand for many people, or for nobody: the refund is held until its payer asks for it. */
export const UNPROVEN: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'UNKNOWN',
  message: 'the chain does not prove that the depositor alone paid',
};

/** Whether a leg is refused for want of that proof, and for nothing else. */
export function isUnproven(check: LegCheck): boolean {
  return check === UNPROVEN;
}

/** Why a leg is held: the payer is not proven, or keeps the money of many. */
export type Wanting = Exclude<Payer, 'named'>;

/**
 * The reason of a leg that is held because it is not proven who its payer is, and for nothing else; undefined where something
 * was signed for it before, so that it is for an operator to see what became of that.
 */
export function wantingProof(leg: LegRow, payer: Wanting): Wanting | undefined {
  const signedFor = leg.spent > 0n || leg.reverts > 0 || leg.closings > 0;
  return signedFor ? undefined : payer;
}

/** Whether a leg is held for that reason. */
export function wantsProof(leg: Pick<LegRow, 'kind' | 'state' | 'reason'>): boolean {
  const { state, reason } = leg;
  return factsOf(leg).replacesFill && state === 'held' && (reason === 'unproven' || reason === 'custodian');
}

/**
 * Whom a transfer that nothing was promised for, or that arrived on another chain than its order's, may be paid back to.
 *
 * Invariant: such a refund goes to the depositor by itself only where the chain proves it to be the one party that paid;
 * otherwise it is held until its payer asks for it.
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
