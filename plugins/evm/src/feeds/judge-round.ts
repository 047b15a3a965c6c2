import { divide, type PriceAnswer, powerOfTen, type UnixMs } from '@causeway/core';
import type { Aggregator } from './feed-config.js';

export interface Round {
  readonly roundId: bigint;
  readonly answer: bigint;
  readonly startedAt: bigint;
  readonly updatedAt: bigint;
  readonly decimals: number;
  readonly description: string;
}

export type Judged<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly why: string };

const DIGITS = 18;
const MAX_DECIMALS = 36;
const AHEAD_MS = 300_000;

/** Rejects rounds of the future and unfinished ones. */
export function judgeRound(
  round: Round,
  aggregator: Aggregator,
  bounds: { readonly now: UnixMs; readonly maxAgeMs: number },
): Judged<{ readonly answer: PriceAnswer }> {
  const { description, heartbeatMs, in: unit, min, max } = aggregator;
  const { now, maxAgeMs } = bounds;
  if (description !== undefined && round.description !== description) {
    return no(`it says "${round.description.slice(0, 60)}" about itself, not "${description}"`);
  }
  if (round.decimals > MAX_DECIMALS) return no(`it has ${round.decimals} decimals`);
  if (round.roundId === 0n || round.updatedAt === 0n) return no('its round is not finished');
  if (round.answer <= 0n) return no(`its answer is ${round.answer}`);
  const at = Number(round.updatedAt) * 1000;
  if (!Number.isSafeInteger(at) || at > now + AHEAD_MS) return no('its round is of the future');
  const heartbeatUntil = Math.min(at, now) + heartbeatMs;
  // guard: feed-heartbeat
  if (heartbeatUntil < now) return no(`its round is ${Math.round((now - at) / 1000)} s old, older than its heartbeat`);
  const price = scaled(round.answer, round.decimals);
  if (price === 0n) return no('its answer rounds to zero');
  if (min !== undefined && price <= min) return no('its answer is at its lower limit');
  if (max !== undefined && price >= max) return no('its answer is at its upper limit');
  const answer = {
    price,
    at,
    freshUntil: Math.min(now + maxAgeMs, heartbeatUntil),
    ...(unit === undefined ? {} : { in: unit }),
  };
  return { ok: true, answer };
}

/** The sequencer must be up for long enough that its feeds could follow the market. */
export function judgeSequencer(
  round: Pick<Round, 'answer' | 'startedAt'>,
  graceMs: number,
  now: UnixMs,
): Judged<object> {
  if (round.startedAt === 0n) return no('its round is not finished');
  if (round.answer !== 0n) return no('the sequencer is down');
  const since = now - Number(round.startedAt) * 1000;
  if (since < graceMs) return no(`the sequencer is up for ${Math.max(0, Math.round(since / 1000))} s only`);
  return { ok: true };
}

/** Scaled by 10^18; rounded to the nearest beyond 18 decimals. */
function scaled(answer: bigint, decimals: number): bigint {
  if (decimals <= DIGITS) return answer * powerOfTen(DIGITS - decimals);
  return divide(answer, powerOfTen(decimals - DIGITS), 'half');
}

function no(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why };
}
