import { describe, expect, it } from 'vitest';
import type { Aggregator } from '../../src/feeds/feed-config.js';
import { judgeRound, judgeSequencer, type Round } from '../../src/feeds/judge-round.js';

const NOW = 1_700_000_000_000;
const second = (ago: number): bigint => BigInt(NOW / 1000 - ago);
const FEED: Aggregator = { address: '0x01', asset: 'ether', heartbeatMs: 3_600_000 };
const ROUND: Round = {
  roundId: 7n,
  answer: 302157000000n,
  startedAt: second(60),
  updatedAt: second(60),
  decimals: 8,
  description: '',
};
const judge = (round: Partial<Round>, feed: Partial<Aggregator> = {}) =>
  judgeRound({ ...ROUND, ...round }, { ...FEED, ...feed }, { now: NOW, maxAgeMs: 30_000 });

describe('a round', () => {
  it('is a price of the time of its update, for as long as reading and heartbeat allow', () => {
    expect(judge({})).toEqual({
      ok: true,
      answer: { price: 3021_570000000000000000n, at: NOW - 60_000, freshUntil: NOW + 30_000 },
    });
    expect(judge({ updatedAt: second(3_590) })).toMatchObject({ answer: { freshUntil: NOW + 10_000 } });
    expect(judge({ updatedAt: second(3_600) })).toMatchObject({ answer: { freshUntil: NOW } });
  });

  it.each([
    [0, 5n, 5n * 10n ** 18n],
    [8, 1n, 10n ** 10n],
    [18, 1n, 1n],
    [20, 149n, 1n],
    [20, 150n, 2n],
    [36, 10n ** 36n, 10n ** 18n],
  ])('with %s decimals says what it means', (decimals, answer, price) => {
    expect(judge({ decimals, answer })).toMatchObject({ answer: { price } });
  });

  it.each<[string, Partial<Round>, Partial<Aggregator>, string]>([
    ['of nothing', { answer: 0n }, {}, 'its answer is 0'],
    ['below nothing', { answer: -5n }, {}, 'its answer is -5'],
    ['not finished', { updatedAt: 0n }, {}, 'not finished'],
    ['without a number', { roundId: 0n }, {}, 'not finished'],
    ['older than the heartbeat', { updatedAt: second(3_601) }, {}, '3601 s old'],
    ['of the future', { updatedAt: second(-301) }, {}, 'of the future'],
    ['of a time that is none', { updatedAt: 2n ** 255n }, {}, 'of the future'],
    ['of another feed', { description: 'BTC / USD' }, { description: 'ETH / USD' }, '"BTC / USD"'],
    ['too small to say', { decimals: 36, answer: 1n }, {}, 'rounds to zero'],
    ['of absurd decimals', { decimals: 255 }, {}, '255 decimals'],
    ['at its lower limit', {}, { min: 3021_570000000000000000n }, 'lower limit'],
    ['at its upper limit', {}, { max: 3021_570000000000000000n }, 'upper limit'],
  ])('%s is none', (_, round, feed, why) => {
    expect(judge(round, feed)).toEqual({ ok: false, why: expect.stringContaining(why) });
  });

  it('of the right feed, within its limits, a little ahead of our clock, is one', () => {
    const within = { description: 'ETH / USD', min: 1n, max: 10n ** 24n };
    expect(judge({ description: 'ETH / USD' }, within).ok).toBe(true);
    expect(judge({ updatedAt: second(-300) }).ok).toBe(true);
  });

  it('reported in another asset says so', () => {
    expect(judge({}, { in: 'ether' })).toMatchObject({ answer: { in: 'ether' } });
  });
});

describe('a sequencer', () => {
  const state = (answer: bigint, startedAt: bigint) => judgeSequencer({ answer, startedAt }, 3_600_000, NOW);
  it('is believed when it is up, and was for long enough', () => {
    expect(state(0n, second(3_600))).toEqual({ ok: true });
    expect(state(0n, second(3_599))).toEqual({ ok: false, why: 'the sequencer is up for 3599 s only' });
    expect(state(1n, second(9_999))).toEqual({ ok: false, why: 'the sequencer is down' });
    expect(state(0n, 0n)).toEqual({ ok: false, why: 'its round is not finished' });
    expect(state(0n, second(-60)).ok).toBe(false);
  });
});
