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

/** A leg that may be the second payment, because a part of this ledger may be lost. */
export interface Doubted {
  readonly leg: LegRow;
  readonly request: RequestRow | undefined;
  /**
   * `ask`: a fill whose deposit may have been paid back by a send that this ledger lost, so the origin is asked first,
   * or a refund whose order may have been filled by one, so the destination is.
   * `idle`: a fill that is not made; only whether it was made already is looked for.
   * `hold`: a refund that must not go out by itself; only its own payment, should it have been made, is looked for.
   */
  readonly doubt: Extract<Doubt, 'ask' | 'idle' | 'hold'> | null;
  /** Its deposit may have been paid back by a send that this ledger lost, by another leg than this. */
  readonly maybePaid: boolean;
  /** A send that this ledger lost may have done this very leg, so its chain's history is asked first. */
  readonly maybeDone: boolean;
  /** Why an idle fill is too late: it is given up once its chain says that it was not made. */
  readonly late: FailReason | null;
}

/**
 * Whether a lost part of this ledger keeps a leg from going out, as far as the chains tell; undefined where nothing does.
 *
 * Invariant (G3, G15): whatever is doubted is asked about before it is signed, each time anew.
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

/**
 * What an idle fill comes to, given what its chain says of making it: it was made by something this ledger does not know, or is
 * late one day. Any other leg comes to what its chain says.
 */
export async function unlessIdle(
  context: WorkContext,
  chain: ChainAdapter,
  { leg, doubt, late }: Doubted,
  instruction: LegInstruction,
  check: LegCheck,
): Promise<LegCheck> {
  if (doubt !== 'idle' || (!check.ok && check.kind === 'refused')) return check;
  // One who could not fill it anyway, as for want of funds or of the right to, is told so first; and where no contract
  // refuses a second fill, the first one is in the way of nothing.
  if (await chain.paidBy(instruction, await sinceOfLeg(context, leg))) return DOUBTFUL;
  if (late === null) return MAY_BE_REFUNDED;
  return { ok: false, kind: 'refused', reason: late, message: 'it was not made, and is late' };
}
