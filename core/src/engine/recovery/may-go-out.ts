import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegCheck, LegInstruction } from '../../contract/legs.js';
import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import type { WorkContext } from '../base/context.js';
import type { Doubt } from '../base/leg-rules.js';
import { DOUBTFUL, MAY_BE_REFUNDED, PAID_OTHERWISE } from './answers.js';
import { isSiblingPaid } from './paid-elsewhere.js';
import { sinceOfLeg } from './since.js';

type Refused = Extract<LegCheck, { ok: false }>;

export interface Doubted {
  readonly leg: LegRow;
  readonly request: RequestRow | undefined;
  /**
   * `ask`: ask the origin whether a lost send refunded a fill's deposit, or the destination whether one filled a
   * refund's order. `idle`: not made; only check whether it was. `hold`: never goes out automatically; only check
   * whether it was paid.
   */
  readonly doubt: Extract<Doubt, 'ask' | 'idle' | 'hold'> | null;
  /** A lost send may have refunded the deposit under another leg. */
  readonly maybePaid: boolean;
  /** A lost send may have carried out this leg: ask the chain's history first. */
  readonly maybeDone: boolean;
  /** An idle fill is abandoned once its chain shows that it was not made. */
  readonly late: FailReason | null;
}

/**
 * Undefined where no loss of data keeps the leg from going out.
 *
 * Invariant (G3, G15): every doubt is checked before each signature.
 *
 * @throws on infrastructure failure.
 */
export async function whyNot(
  context: WorkContext,
  chain: ChainAdapter,
  { leg, request, doubt, maybePaid, maybeDone }: Doubted,
  instruction: LegInstruction,
): Promise<Refused | undefined> {
  const rules = context.kinds.of(leg);
  if (doubt === 'hold') return DOUBTFUL;
  // guard: paid-before-restore
  if (maybeDone && (await chain.paidBy(instruction, await sinceOfLeg(context, leg)))) return rules.done;
  if (maybePaid && (await isSiblingPaid(context, chain, leg))) return PAID_OTHERWISE;
  return doubt === 'ask' ? rules.askOther(context, leg, request) : undefined;
}

/** An idle fill was made by a lost send, or becomes late. Other legs keep the chain's verdict. */
export async function unlessIdle(
  context: WorkContext,
  chain: ChainAdapter,
  { leg, doubt, late }: Doubted,
  instruction: LegInstruction,
  check: LegCheck,
): Promise<LegCheck> {
  if (doubt !== 'idle' || (!check.ok && check.kind === 'refused')) return check;
  // The chain may first refuse because funds or permission are missing; and where no contract prevents a second fill,
  // an earlier one causes no refusal.
  if (await chain.paidBy(instruction, await sinceOfLeg(context, leg))) return DOUBTFUL;
  if (late === null) return MAY_BE_REFUNDED;
  return { ok: false, kind: 'refused', reason: late, message: 'it was not made, and is late' };
}
