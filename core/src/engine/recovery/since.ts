import type { UnixMs } from '../../contract/ids.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import type { EngineContext } from '../base/context.js';
import { MAYBE_PAID } from '../base/leg-marks.js';

/** By how much the clock of a chain, or of a process that worked before this one, may be behind ours. */
const CLOCKS_MS = 600_000;

/** The same where nothing but the clock of a process tells, which is not wrong by a day for long. */
export const ALONE_MS = 86_400_000;

/** Claims that are read together, to find one that is certain. */
const LOOKED_AT_ONCE = 20;

/** No bound: a history is read to its beginning. */
const EVER: UnixMs = 0;

/**
 * Time before which nobody can have filled the order of a request: its quote was not made yet. A child request names the
 * order of its parent. A clock that was far ahead when the quote was made says nothing, so the blocks of deposits that are
 * known count, where those are older.
 */
export async function sinceOfOrder({ store }: EngineContext, request: RequestRow): Promise<UnixMs> {
  const { parentRequestId } = request;
  const first = parentRequestId === null ? request : await store.request(parentRequestId);
  if (!first || first.parentRequestId !== null) return EVER;
  const keys = new Set([request, first].flatMap(({ fundingKey }) => fundingKey ?? []));
  const deposits = await store.deposits([...keys]);
  if (deposits.length === 0) return EVER;
  return Math.min(before(first.createdAt), ...deposits.map(sinceOfDeposit));
}

/**
 * Time before which nobody can have paid back a deposit: it was not there. A restored ledger saw it later than the one that
 * was lost, so its block counts, where it is in one.
 */
export function sinceOfDeposit({ seenAt, blockTime }: DepositRow): UnixMs {
  return blockTime === null ? EVER : before(Math.min(seenAt, blockTime));
}

/** Time before which nobody can have paid a leg. */
export async function sinceOfLeg(context: EngineContext, leg: LegRow): Promise<UnixMs> {
  return context.kinds.of(leg).since(context, leg);
}

/** The same of the fill of an order. */
export async function sinceOfFill(context: EngineContext, { requestId }: LegRow): Promise<UnixMs> {
  const request = requestId === null ? undefined : await context.store.request(requestId);
  return request === undefined ? EVER : sinceOfOrder(context, request);
}

/** The same of a payment back. */
export async function sinceOfPayback({ store }: EngineContext, { fundingKey }: LegRow): Promise<UnixMs> {
  const [deposit] = fundingKey === null ? [] : await store.deposits([fundingKey]);
  return deposit === undefined ? EVER : sinceOfDeposit(deposit);
}

/**
 * The same of a leg with an id that was drawn once, as a collect's: no other ledger than this one has it from earlier; but only
 * the clock of a process says when that was.
 */
export function sinceOfDrawn({ createdAt }: LegRow): UnixMs {
  return before(createdAt, ALONE_MS);
}

/**
 * The same of a claim, whose number a ledger that lost claims counts again: none was lost from before the newest claim that was
 * settled without a doubt, while those after it may be later than what they were counted again for.
 */
export async function sinceOfClaim({ store }: Pick<EngineContext, 'store'>, { id }: LegRow): Promise<UnixMs> {
  const numbered = (number: number): string => id.replace(/^claim:\d+/, `claim:${number}`);
  const [, number] = id.split(':');
  for (let next = Number(number); next > 0; next -= LOOKED_AT_ONCE) {
    const some = Math.min(next, LOOKED_AT_ONCE);
    const ids = Array.from({ length: some }, (_, n) => numbered(next - 1 - n));
    const known = new Map((await store.legs(ids)).map((leg) => [leg.id, leg]));
    const certain = ids.map((one) => known.get(one)).find((leg) => leg !== undefined && !mayBeCountedAgain(leg));
    if (certain) return sinceOfDrawn(certain);
  }
  return EVER;
}

function mayBeCountedAgain({ state, reason }: LegRow): boolean {
  return reason === MAYBE_PAID || state === 'held';
}

function before(time: UnixMs, clocks = CLOCKS_MS): UnixMs {
  return Math.max(EVER, time - clocks);
}
