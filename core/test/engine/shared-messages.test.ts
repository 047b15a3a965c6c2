import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LegCheck, LegInstruction } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Scene } from './support/scene.js';
import type { ScriptedChain } from './support/scripted-chain.js';

/** Expiring messages with several fills, which fail together. */
let scene: Scene;
let chain: ScriptedChain;
let bodies: QuoteBody[];
/** Joint trials of legs. */
let tried: string[][];
let together: boolean;

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const [K0, K1, K2, K3, K4] = [0, 1, 2, 3, 4].map((n) => `filler:${n}`) as [string, string, string, string, string];
const INVENTORY = 'inventory:902:filler:coin-902';
const REFUSED: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
  message: 'frozen',
};

beforeEach(async () => {
  scene = await Scene.open();
  chain = scene.destination;
  chain.batches = { most: 3, gatherMs: 0, least: 4 };
  // Messages have no replacement: none is closed before it expires.
  chain.facts = { ...chain.facts, inclusionWindowMs: 3_600_000 };
  chain.reports(async (_signer, _ledger, start) => ({ sent: [], pending: false, position: start }));
  chain.unfilled = false;
  tried = [];
  together = true;
  chain.checkTogether = async (legs) => {
    tried.push(legs.map((leg) => leg.legId));
    return together ? legs.map(() => ({ ok: true as const, plan: '{}' })) : undefined;
  };
  bodies = [];
});

afterEach(async () => {
  await scene.close();
});

async function funded(count: number, deadlines: readonly number[] = []): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const deadline = deadlines[n];
    bodies.push(await scene.quote(n + 1, deadline === undefined ? {} : { deadlineAt: deadline }));
  }
  await scene.sees(bodies.map((body, n) => scene.deposit(body, NAMES[n] ?? '')));
}

const fillOf = (n: number): string => legId.fill(bodies[n]?.orderId ?? '');
const refundOf = (n: number): string => legId.refund(`901:${NAMES[n]}:0`);
const carried = (): string[][] => chain.prepared.map(({ legs }) => legs.map((leg: LegInstruction) => leg.legId));
const statuses = () => Promise.all(bodies.map(async (body) => (await scene.request(body)).status));
const states = () => Promise.all(bodies.map(async (_, n) => (await scene.leg(fillOf(n)))?.state));
const runsOut = (key: string) => chain.evidence.set(key, { state: 'spentByOther', final: true });

describe('fills that are due', () => {
  it('each have a message of their own while they are few', async () => {
    await funded(3);
    await scene.settles(chain);
    expect(tried).toEqual([]);
    expect(carried()).toEqual([[fillOf(0)], [fillOf(1)], [fillOf(2)]]);
  });

  it('share messages where they are many and were tried as one', async () => {
    await funded(5);
    await scene.settles(chain);
    const groups = [
      [fillOf(0), fillOf(1), fillOf(2)],
      [fillOf(3), fillOf(4)],
    ];
    expect(tried).toEqual(groups);
    expect(carried()).toEqual(groups);
    expect(await statuses()).toEqual(Array(5).fill('submitted'));
  });

  it('go alone at once where they do not go together, and anyone who is refused is refunded', async () => {
    await funded(4);
    together = false;
    chain.checkAnswer = (leg) => (leg.legId === fillOf(1) ? REFUSED : { ok: true, plan: '{}' });
    await scene.settles(chain);
    expect(carried()).toEqual([[fillOf(0)], [fillOf(2)], [fillOf(3)]]);
    expect(await states()).toEqual(['bound', 'void', 'bound', 'bound']);
  });

  it('go alone where nothing is learnt of them together', async () => {
    await funded(4);
    chain.checkTogether = async () => {
      throw new Error('lost');
    };
    await scene.settles(chain);
    expect(carried()).toEqual([[fillOf(0)], [fillOf(1)], [fillOf(2)], [fillOf(3)]]);
  });
});

describe('a message of several fills that lands and fails', () => {
  beforeEach(async () => {
    await funded(4);
    await scene.settles(chain);
    expect(carried()).toEqual([[fillOf(0), fillOf(1), fillOf(2)], [fillOf(3)]]);
    chain.lands(K1, 501, { final: true });
    chain.lands(K0, 501, { ok: false });
    await scene.tracks(chain);
  });

  it('is waited for until that is final', async () => {
    await scene.settles(chain);
    expect(carried()).toHaveLength(2);
    expect(await states()).toEqual(['bound', 'bound', 'bound', 'done']);
    // It succeeds on the winning branch.
    chain.lands(K0, 502, { final: true });
    await scene.tracks(chain);
    expect(await statuses()).toEqual(Array(4).fill('success'));
    expect(await scene.pot(INVENTORY)).toBe(1_000_000n - 4n * 99_000n - 2n * 7n);
  });

  it('leaves third parties to be filled alone, once, and anyone who refuses to be refunded', async () => {
    chain.lands(K0, 501, { ok: false, final: true });
    await scene.tracks(chain);
    expect(await states()).toEqual(['owed', 'owed', 'owed', 'done']);
    expect((await scene.request(bodies[1] as QuoteBody)).details).toBeNull();
    chain.batches = { most: 3, gatherMs: 0, least: 2 };
    chain.checkAnswer = (leg) => (leg.legId === fillOf(1) ? REFUSED : { ok: true, plan: '{}' });
    await scene.settles(chain);
    expect(carried().slice(2)).toEqual([[fillOf(0)], [fillOf(2)]]);
    expect(await states()).toEqual(['bound', 'void', 'bound', 'done']);
    chain.lands(K2, 503, { final: true });
    chain.lands(K3, 503, { final: true });
    await scene.tracks(chain);
    expect(await statuses()).toEqual(['success', 'pending', 'success', 'success']);
    expect(await scene.leg(refundOf(0))).toBeUndefined();
    expect((await scene.leg(refundOf(1)))?.state).toBe('blocked');
    // Three fees for what landed, and one for the failure.
    expect(await scene.pot(INVENTORY)).toBe(1_000_000n - 3n * 99_000n - 4n * 7n);
    expect(await scene.pot('#reserved:902:filler:coin-902')).toBe(0n);
  });

  it('of a fill alone is refunded as ever', async () => {
    chain.lands(K0, 501, { ok: false, final: true });
    await scene.tracks(chain);
    await scene.settles(chain);
    chain.lands(K2, 503, { ok: false, final: true });
    await scene.tracks(chain);
    expect(await states()).toEqual(['closed', 'bound', 'bound', 'done']);
    expect((await scene.leg(refundOf(0)))?.state).toBe('blocked');
    expect(await scene.request(bodies[0] as QuoteBody)).toMatchObject({ failReason: 'EXECUTION_REVERTED' });
  });
});

describe('a message of several fills that runs out', () => {
  it('leaves each of them to go alone, under a key of its own, also in addition to new ones that share', async () => {
    await funded(4);
    await scene.settles(chain);
    runsOut(K0);
    await scene.tracks(chain);
    expect(await states()).toEqual(['owed', 'owed', 'owed', 'bound']);
    const more: QuoteBody[] = [];
    for (let n = 4; n < 7; n += 1) more.push(await scene.quote(n + 1));
    bodies.push(...more);
    await scene.sees(more.map((body, n) => scene.deposit(body, NAMES[n + 4] ?? '')));
    chain.batches = { most: 3, gatherMs: 0, least: 3 };
    await scene.settles(chain);
    expect(carried().slice(2)).toEqual([[fillOf(0)], [fillOf(1)], [fillOf(2)], [fillOf(4), fillOf(5), fillOf(6)]]);
    for (const key of [K1, K2, K3, K4, 'filler:5']) chain.lands(key, 505, { final: true });
    await scene.tracks(chain);
    expect(await statuses()).toEqual(Array(7).fill('success'));
    expect(await scene.pot(INVENTORY)).toBe(1_000_000n - 7n * 99_000n - 5n * 7n);
  });

  it('holds up no one for one that can neither be signed again nor be refunded yet, and lets go of no one twice', async () => {
    await funded(4, [scene.now + 630_000, scene.now + 60_000, scene.now + 630_000]);
    await scene.settles(chain);
    scene.now += 59_000;
    runsOut(K0);
    await scene.tracks(chain);
    expect(await states()).toEqual(['owed', 'bound', 'owed', 'bound']);
    await scene.settles(chain);
    expect(carried().slice(2)).toEqual([[fillOf(0)], [fillOf(2)]]);
    // The lost key is still watched: its legs are signed elsewhere and may land at any time.
    for (let n = 0; n < 3; n += 1) {
      scene.now += 1_000;
      await scene.tracks(chain);
      await scene.settles(chain);
    }
    expect(carried()).toHaveLength(4);
    expect(await states()).toEqual(['bound', 'bound', 'bound', 'bound']);
    chain.lands(K2, 503, { final: true });
    chain.lands(K3, 503, { final: true });
    chain.unfilled = true;
    await scene.tracks(chain);
    expect(await states()).toEqual(['done', 'closed', 'done', 'bound']);
    expect(await statuses()).toEqual(['success', 'failure', 'success', 'submitted']);
    expect((await scene.leg(refundOf(1)))?.state).toBe('blocked');
    expect(await scene.leg(refundOf(0))).toBeUndefined();
    expect((await scene.store.openKeys(902, 'filler', 10)).map(({ key }) => key.key)).toEqual([K1]);
  });
});
