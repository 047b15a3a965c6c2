import type { UnixMs } from '../../contract/ids.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import type { EngineContext } from '../base/context.js';
import { MAYBE_PAID } from '../base/leg-marks.js';

/** Tolerated lag of a chain's, or an earlier process's, clock. */
const CLOCK_TOLERANCE_MS = 600_000;

/** For times known only by a process clock, rarely wrong by a day. */
export const LOCAL_CLOCK_TOLERANCE_MS = 86_400_000;

/** Claims read together to find a certain one. */
const CLAIMS_PER_READ = 20;

/** No bound: the whole history. */
const EVER: UnixMs = 0;

/**
 * An order cannot be filled before its quote. A child names its parent's order. A fast clock makes quote times
 * useless, so older deposit blocks count.
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
 * A deposit cannot be refunded before it existed. A restored ledger saw it later than the lost one, so its block
 * counts.
 */
export function sinceOfDeposit({ seenAt, blockTime }: DepositRow): UnixMs {
  return blockTime === null ? EVER : before(Math.min(seenAt, blockTime));
}

export async function sinceOfLeg(context: EngineContext, leg: LegRow): Promise<UnixMs> {
  return context.kinds.of(leg).since(context, leg);
}

export async function sinceOfFill(context: EngineContext, { requestId }: LegRow): Promise<UnixMs> {
  const request = requestId === null ? undefined : await context.store.request(requestId);
  return request === undefined ? EVER : sinceOfOrder(context, request);
}

export async function sinceOfPayback({ store }: EngineContext, { fundingKey }: LegRow): Promise<UnixMs> {
  const [deposit] = fundingKey === null ? [] : await store.deposits([fundingKey]);
  return deposit === undefined ? EVER : sinceOfDeposit(deposit);
}

/** For random ids, e.g. of collects: only a process clock dates them. */
export function sinceOfDrawn({ createdAt }: LegRow): UnixMs {
  return before(createdAt, LOCAL_CLOCK_TOLERANCE_MS);
}

/**
 * Claim numbers are reused after a loss: none was lost before the newest undoubted, settled claim; later ones may be
 * younger than the lost payments with their numbers.
 */
export async function sinceOfClaim({ store }: Pick<EngineContext, 'store'>, { id }: LegRow): Promise<UnixMs> {
  const numbered = (number: number): string => id.replace(/^claim:\d+/, `claim:${number}`);
  const [, number] = id.split(':');
  for (let next = Number(number); next > 0; next -= CLAIMS_PER_READ) {
    const some = Math.min(next, CLAIMS_PER_READ);
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

function before(time: UnixMs, clocks = CLOCK_TOLERANCE_MS): UnixMs {
  return Math.max(EVER, time - clocks);
}
