import type { UnixMs } from '../../contract/ids.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import type { EngineContext } from '../base/context.js';

/** By how much the clock of a chain, or of a process that worked before this one, may be behind ours. */
const CLOCKS_MS = 600_000;

/** The same where nothing but the clock of a process tells, which is not wrong by a day for long. */
export const ALONE_MS = 86_400_000;

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

/**
 * The same of any leg. The id of a collect is drawn once, so no other ledger than this one has it from earlier; but only the
 * clock of a process says when that was.
 */
export async function sinceOfLeg(context: EngineContext, leg: LegRow): Promise<UnixMs> {
  const { store } = context;
  if (leg.kind === 'fill') {
    const request = leg.requestId === null ? undefined : await store.request(leg.requestId);
    return request === undefined ? EVER : sinceOfOrder(context, request);
  }
  if (leg.kind === 'collect') return before(leg.createdAt, ALONE_MS);
  const [deposit] = leg.fundingKey === null ? [] : await store.deposits([leg.fundingKey]);
  return deposit === undefined ? EVER : sinceOfDeposit(deposit);
}

function before(time: UnixMs, clocks = CLOCKS_MS): UnixMs {
  return Math.max(EVER, time - clocks);
}
