import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { FillLeg, LegInstruction } from '../../contract/legs.js';
import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import { chainNow, type EngineContext } from './context.js';
import type { Refused } from './leg-rules.js';

export function instructionOf(context: EngineContext, chain: ChainAdapter, leg: LegRow): LegInstruction {
  return context.kinds.of(leg).instruction(context, chain, leg);
}

export async function instructionToSend(
  context: EngineContext,
  chain: ChainAdapter,
  leg: LegRow,
  request?: RequestRow,
): Promise<LegInstruction | Refused> {
  const rules = context.kinds.of(leg);
  return rules.toSend(context, leg, rules.instruction(context, chain, leg), request);
}

export function isRefused(made: LegInstruction | Refused): made is Refused {
  return 'ok' in made;
}

export function baseOf({ id, currency, amount, recipient, work }: LegRow) {
  return { legId: id, currency, amount, recipient, .../* guard: bounded-work */ (work === null ? {} : { work }) };
}

/** By the chain's clock. */
export function expirationOf(context: EngineContext, { chainId }: LegRow): number {
  return unixSeconds(chainNow(context, chainId) + context.policy.withdrawalTtlMs);
}

export function fillInstruction(leg: LegRow): FillLeg {
  const { id, orderId, deadlineAt } = leg;
  if (orderId === null || deadlineAt === null) throw new Error(`fill ${id} has no order, or no deadline`);
  return { ...baseOf(leg), kind: 'fill', orderId, deadline: unixSeconds(deadlineAt) };
}

function unixSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
