import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyEvidence, LegEffect } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import type { FailReason } from '../../src/errors/fail-reasons.js';
import { Scene } from './support/scene.js';
import type { ScriptedChain } from './support/scripted-chain.js';

/** Shared fills, of which failing ones are left out. */
let scene: Scene;
let chain: ScriptedChain;
let bodies: QuoteBody[];
/** Fills that need separate transactions. */
let apart: ReadonlySet<string>;

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

const NAMES = ['a', 'b', 'c', 'd'];
const KEY = 'filler:0';
const CALL = { from: 'filler', to: 'router', data: '0x', value: '0' };

beforeEach(async () => {
  scene = await Scene.open();
  chain = scene.destination;
  chain.batches = { most: 4, gatherMs: 0, least: 2 };
  apart = new Set();
  chain.checkTogether = async (legs) =>
    legs.map((leg) => (apart.has(leg.legId) ? undefined : { ok: true as const, plan: '{}' }));
  bodies = [];
});

afterEach(async () => {
  await scene.close();
});

async function funded(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) bodies.push(await scene.quote(n + 1));
  await scene.sees(bodies.map((body, n) => scene.deposit(body, NAMES[n] ?? '')));
}

const fillOf = (n: number): string => legId.fill(bodies[n]?.orderId ?? '');
const refundOf = (n: number): string => legId.refund(`901:${NAMES[n]}:0`);
const carried = (): string[][] => chain.prepared.map(({ legs }) => legs.map((leg) => leg.legId));
const statuses = () => Promise.all(bodies.map(async (body) => (await scene.request(body)).status));
const states = () => Promise.all(bodies.map(async (_, n) => (await scene.leg(fillOf(n)))?.state));

/** The transaction lands without one leg. */
function leavesOut(n: number, reason: FailReason, also: Partial<LegEffect> = {}, final = false): void {
  chain.lands(KEY, 501, { final });
  const spent = chain.evidence.get(KEY) as Spent;
  const effects = spent.effects.map((effect): LegEffect => {
    if (effect.legId !== fillOf(n)) return effect;
    const failure = { reason, message: 'it refuses', call: CALL };
    return { legId: effect.legId, done: false, moved: 0n, returned: true, failure, ...also };
  });
  chain.evidence.set(KEY, { ...spent, effects });
}

describe('a fill that its transaction left out', () => {
  beforeEach(async () => {
    await funded(3);
    await scene.settles(chain);
    expect(carried()).toEqual([[fillOf(0), fillOf(1), fillOf(2)]]);
  });

  it('is reported at once and refunded once that is final, while the others are done', async () => {
    leavesOut(1, 'DESTINATION_TOKEN_TRANSFER_REJECTED', { fee: 5n });
    await scene.tracks(chain);
    expect(await statuses()).toEqual(['success', 'submitted', 'success']);
    const shown = await scene.request(bodies[1] as QuoteBody);
    expect(JSON.parse(shown.failed ?? '{}')).toEqual({ txHash: chain.hashUnder(KEY), block: 501, call: CALL });
    expect(shown.details).toBe('it refuses');
    expect(await scene.leg(refundOf(1))).toBeUndefined();

    leavesOut(1, 'DESTINATION_TOKEN_TRANSFER_REJECTED', { fee: 5n }, true);
    await scene.tracks(chain);
    expect(await states()).toEqual(['done', 'closed', 'done']);
    expect(await scene.request(bodies[1] as QuoteBody)).toMatchObject({
      status: 'pending',
      failReason: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
    });
    expect((await scene.leg(refundOf(1)))?.state).toBe('blocked');
    // Its own use, not a third of the total.
    expect((await scene.leg(fillOf(1)))?.spent).toBe(5n);
    expect((await scene.leg(fillOf(0)))?.spent).toBe(0n);
    expect(await scene.pot('inventory:902:filler:coin-902')).toBe(1_000_000n - 2n * 99_000n - 7n);
    expect(await scene.pot('#reserved:902:filler:coin-902')).toBe(0n);
    await scene.settles(chain);
    expect(carried()).toHaveLength(1);
  });

  it('bears an equal part of the fee where its own is not reported', async () => {
    leavesOut(1, 'EXECUTION_REVERTED', {}, true);
    await scene.tracks(chain);
    expect((await scene.leg(fillOf(1)))?.spent).toBe(3n);
  });

  it('is neither refunded nor filled again where it is filled already', async () => {
    leavesOut(1, 'ORDER_ALREADY_FILLED', {}, true);
    await scene.tracks(chain);
    expect(await states()).toEqual(['done', 'held', 'done']);
    expect(await scene.leg(refundOf(1))).toBeUndefined();
  });

  it('is held where nothing reports where its value went', async () => {
    leavesOut(1, 'EXECUTION_REVERTED', {}, true);
    const spent = chain.evidence.get(KEY) as Spent;
    const effects = spent.effects.map(({ returned: _, ...effect }) => effect);
    chain.evidence.set(KEY, { ...spent, effects });
    await scene.tracks(chain);
    expect(await states()).toEqual(['done', 'held', 'done']);
    expect(await scene.leg(refundOf(1))).toBeUndefined();
    scene.errors.length = 0;
  });

  it('is done after all where a reorg has its transaction do it', async () => {
    leavesOut(1, 'EXECUTION_REVERTED');
    await scene.tracks(chain);
    chain.evidence.delete(KEY);
    await scene.tracks(chain);
    chain.lands(KEY, 502, { final: true });
    await scene.tracks(chain);
    expect(await statuses()).toEqual(['success', 'success', 'success']);
    expect(await scene.request(bodies[1] as QuoteBody)).toMatchObject({ failed: null, details: null });
    expect(await scene.pot('inventory:902:filler:coin-902')).toBe(1_000_000n - 3n * 99_000n - 7n);
  });
});

describe('fills that were tried together', () => {
  it('share without the one that does not go, which is asked about alone', async () => {
    await funded(4);
    apart = new Set([fillOf(2)]);
    chain.checkAnswer = ({ legId: id }) =>
      id === fillOf(2)
        ? { ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' }
        : { ok: true, plan: '{}' };
    await scene.settles(chain);
    expect(carried()).toEqual([[fillOf(0), fillOf(1), fillOf(3)]]);
    expect(await states()).toEqual(['bound', 'bound', 'void', 'bound']);
  });

  it('go alone where one of them is all that is left', async () => {
    await funded(2);
    apart = new Set([fillOf(1)]);
    const asked: string[] = [];
    chain.checkAnswer = (leg) => {
      asked.push(leg.legId);
      return { ok: true, plan: '{}' };
    };
    await scene.settles(chain);
    expect(asked).toEqual([fillOf(0), fillOf(1)]);
    expect(carried()).toEqual([[fillOf(0)], [fillOf(1)]]);
  });

  it('are tried as one again when their transaction is replaced, without the one that is refused now', async () => {
    await funded(3);
    await scene.settles(chain);
    apart = new Set([fillOf(2)]);
    const asked: string[] = [];
    chain.checkAnswer = (leg) => {
      asked.push(leg.legId);
      return { ok: false, kind: 'refused', reason: 'EXECUTION_REVERTED', message: 'no' };
    };
    await scene.head(501);
    await scene.head(504);
    await scene.tracks(chain);
    expect(carried().at(-1)).toEqual([fillOf(0), fillOf(1)]);
    expect(asked).toEqual([fillOf(2)]);
    chain.lands(KEY, 505, { final: true });
    await scene.tracks(chain);
    expect(await states()).toEqual(['done', 'done', 'closed']);
    expect((await scene.leg(refundOf(2)))?.state).toBe('blocked');
  });
});
