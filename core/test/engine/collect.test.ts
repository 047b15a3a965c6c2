import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DepositObservation } from '../../src/contract/index.js';
import { BalanceChanges } from '../../src/domain/balance-changes.js';
import { collectChain, uncollected } from '../../src/engine/pots/collect.js';
import { MissingCollects } from '../../src/engine/pots/missing-collects.js';
import { Describer } from '../../src/engine/rounds/describe.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

const collects = () => collectChain(scene.context, scene.origin);

const blockAt = (height: number) => ({ height, id: `a${height}`, timestamp: scene.now });

/** Filled and final. */
async function settled(n: number): Promise<void> {
  const body = await scene.quote(n);
  const position = scene.destination.prepared.length;
  await scene.sees([scene.deposit(body, `d${n}`, { block: { height: 100 + n, id: `a${n}`, timestamp: scene.now } })]);
  await scene.settles(scene.destination);
  scene.destination.lands(`filler:${position}`, 500 + n, { final: true });
  await scene.tracks(scene.destination);
  await scene.finalises(100 + n);
}

describe('collecting', () => {
  it('takes each settled deposit once, also when two rounds overlap', async () => {
    for (const n of [1, 2, 3]) await settled(n);
    const rounds = await Promise.all([collects(), collects(), collects()]);
    expect(rounds.filter(Boolean)).toHaveLength(1);
    await scene.settles(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.amount)).toEqual([300_000n]);
  });

  it('is awaited by a drain until it is owed, dust excepted', async () => {
    expect(await uncollected(scene.context)).toBe(0);
    await settled(1);
    expect(await uncollected(scene.context)).toBe(1);
    const { policy } = scene.context;
    const collect = { ...policy.collect, minMicroUsd: 10n ** 15n };
    expect(await uncollected({ ...scene.context, policy: { ...policy, collect } })).toBe(0);
    await collects();
    expect(await uncollected(scene.context)).toBe(0);
  });

  it('takes nothing while the depository holds less than the books say, as after an old database was restored', async () => {
    for (const n of [1, 2]) await settled(n);
    scene.origin.depositoryBalance = 199_999n;
    expect(await collects()).toBe(false);
    scene.origin.depositoryBalance = 200_000n;
    expect(await collects()).toBe(true);
  });

  it('warns of a depository that holds less only where nothing under way explains it', async () => {
    await settled(1);
    await scene.sees([scene.deposit(await scene.quote(2), 'short', { amount: 50_000n, block: blockAt(150) })]);
    await scene.finalises(160);
    const reported: string[] = [];
    const note = (level: string) => (_: object, message: string) => void reported.push(`${level}: ${message}`);
    const log = { ...scene.context.log, warn: note('warn'), debug: note('debug') };
    const round = () => collectChain({ ...scene.context, log }, scene.origin);
    scene.origin.depositoryBalance = 100_010n;
    expect(await round()).toBe(false);
    expect(reported).toEqual(['warn: not collecting: the depository holds too little']);
    // A signed refund pays on the chain before it is booked.
    await scene.pays(scene.origin);
    expect(await round()).toBe(false);
    expect(reported.slice(1)).toEqual(['debug: not collecting: the depository holds too little']);
    scene.origin.lands('filler:0', 170, { final: true });
    await scene.tracks(scene.origin);
    scene.origin.depositoryBalance -= 1_000n;
    expect(await round()).toBe(false);
    expect(reported.slice(2)).toEqual(['warn: not collecting: the depository holds too little']);
  });

  /** A resumed lane after lost sends, with a watcher that books each transfer one batch late. */
  async function lostSends(landing: DepositObservation[]): Promise<() => Promise<boolean>> {
    const row = { key: `foreign:901:${SIGNER}`, version: 1, value: '1' };
    await scene.store.apply({ name: 'resumed', changes: [{ op: 'insert', table: 'meta', row }] });
    let landed: DepositObservation[] = [];
    const sleep = async () => {
      await scene.sees(landed);
      landed = landing.splice(0, 1);
      for (const { amount } of landed) scene.origin.depositoryBalance += amount;
    };
    await sleep();
    const context = { ...scene.context, clock: { ...scene.context.clock, sleep } };
    const missing = new MissingCollects();
    return () => collectChain(context, scene.origin, undefined, missing);
  }

  it('lets no transfer that is not booked yet stand in for what a lost send took', async () => {
    for (const n of [1, 2]) await settled(n);
    // One of both was collected, and others land.
    scene.origin.depositoryBalance = 100_000n;
    const landing: DepositObservation[] = [];
    for (const n of [3, 4, 5]) landing.push(scene.deposit(await scene.quote(n), `d${n}`, { block: blockAt(200 + n) }));
    const round = await lostSends(landing);
    for (let n = 0; n < 4; n += 1) expect(await round()).toBe(false);
    // The difference is refilled by hand.
    scene.origin.depositoryBalance += 100_000n;
    expect(await round()).toBe(true);
  });

  it('goes on after lost sends that took nothing', async () => {
    for (const n of [1, 2]) await settled(n);
    scene.origin.depositoryBalance = 200_000n;
    const round = await lostSends([]);
    expect(await round()).toBe(true);
  });

  it('goes on after lost sends also where blocks are final at once', async () => {
    for (const n of [1, 2]) await settled(n);
    await scene.finalises(10_000);
    scene.origin.depositoryBalance = 200_000n;
    const round = await lostSends([]);
    expect(await round()).toBe(true);
  });

  it('waits where the lost sends are not known yet', async () => {
    await settled(1);
    scene.uncompared.add(901);
    expect(await collects()).toBe(false);
    scene.uncompared.clear();
    const lane = await scene.store.lane(901, SIGNER);
    if (!lane) throw new Error('a lane');
    const halt = (version: number, halted: string | null) =>
      scene.store.apply({
        name: 'halt',
        changes: [{ op: 'update', table: 'lanes', key: { id: lane.id }, version, set: { halted } }],
      });
    await halt(lane.version, 'its signer was used');
    expect(await collects()).toBe(false);
    await halt(lane.version + 1, null);
    expect(await collects()).toBe(true);
  });

  it('leaves out what is not worth a transaction', async () => {
    await scene.close();
    scene = await Scene.open({ collect: { everyMs: 1_000, minMicroUsd: 200_001n } });
    for (const n of [1, 2]) await settled(n);
    expect(await collects()).toBe(false);
    await settled(3);
    expect(await collects()).toBe(true);
  });

  it('is tried again under a new key when it reverted, for ever, with the same once-only use', async () => {
    await settled(1);
    await collects();
    for (let n = 0; n < 5; n += 1) {
      await scene.settles(scene.origin);
      scene.origin.lands(`filler:${n}`, 200 + n, { ok: false, final: true });
      await scene.tracks(scene.origin);
      scene.now += 6_000;
      expect(await collects()).toBe(false);
    }
    await scene.settles(scene.origin);
    scene.origin.lands('filler:5', 210, { final: true });
    await scene.tracks(scene.origin);
    expect(await scene.pot('depository:901:coin-901')).toBe(0n);
    const uses = scene.origin.prepared.map(({ legs }) => (legs[0]?.kind === 'collect' ? legs[0].useKey : null));
    expect(new Set(uses).size).toBe(1);
  });

  it('goes back in the books when a reorg drops it', async () => {
    await settled(1);
    await collects();
    await scene.settles(scene.origin);
    scene.origin.lands('filler:0', 200);
    await scene.tracks(scene.origin);
    expect(await scene.pot('depository:901:coin-901')).toBe(0n);
    scene.origin.evidence.set('filler:0', { state: 'unspent', inPool: true });
    await scene.tracks(scene.origin);
    expect(await scene.pot('depository:901:coin-901')).toBe(100_000n);
    scene.origin.lands('filler:0', 201, { final: true });
    await scene.tracks(scene.origin);
    expect(await scene.pot('inventory:901:filler:coin-901')).toBe(1_000_000n + 100_000n - 7n);
  });

  describe('of a token that charges a fee on transfer', () => {
    const coin = (pot: string) => scene.pot(`${pot}:coin-901`);
    const lane = () => scene.pot('inventory:901:filler:coin-901');

    async function landed(kept?: bigint, options: { final?: boolean } = {}): Promise<void> {
      scene.origin.lands('filler:0', 200, { ...options, ...(kept === undefined ? {} : { kept }) });
      await scene.tracks(scene.origin);
    }

    beforeEach(async () => {
      await settled(1);
      await collects();
      await scene.settles(scene.origin);
    });

    it('books to the lane what arrived there, and the rest as what it cost', async () => {
      await landed(1_000n, { final: true });
      expect(await coin('depository:901')).toBe(0n);
      expect(await lane()).toBe(1_000_000n + 99_000n - 7n);
      expect(await coin('transferFees:901')).toBe(1_000n);
    });

    it('goes back in the books when a reorg drops it', async () => {
      await landed(1_000n);
      scene.origin.evidence.set('filler:0', { state: 'unspent', inPool: true });
      await scene.tracks(scene.origin);
      expect(await coin('depository:901')).toBe(100_000n);
      expect(await lane()).toBe(1_000_000n);
      expect(await coin('transferFees:901')).toBe(0n);
    });

    it('is booked again where the chain reports the same block that less arrived, and once', async () => {
      for (const kept of [undefined, 1_000n, 1_000n, 1_000n]) await landed(kept);
      expect(await lane()).toBe(1_000_000n + 99_000n - 7n);
      expect(await coin('transferFees:901')).toBe(1_000n);
    });
  });

  it('does not happen while its chain is paused', async () => {
    await settled(1);
    await collects();
    scene.context.pauses.set('chain:901', null);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    scene.context.pauses.clear();
    scene.now += 1_000;
    await scene.settles(scene.origin);
    expect(scene.origin.prepared).toHaveLength(1);
  });
});

describe('describing transactions', () => {
  it('goes on behind any number of transactions that cannot be described', async () => {
    const bodies = [];
    for (let n = 1; n <= 40; n += 1) bodies.push(await scene.quote(n, { amountIn: '100', amountOut: '99' }));
    await scene.sees(bodies.map((body, n) => scene.deposit(body, `d${n}`)));
    scene.origin.describeTransaction = async (hash: string) => {
      if (hash !== 'd39') throw new Error('no answer');
      return {
        txHash: hash,
        fee: '21',
        block: 101,
        type: 'onchain',
        chainId: 901,
        timestamp: 1,
        status: 'success',
        data: null,
        stateChanges: null,
      };
    };
    const describer = new Describer(scene.context);
    for (let n = 0; n < 3; n += 1) await describer.round();
    expect(await scene.store.undescribed(100)).toHaveLength(39);
  });

  it('asks once about a transaction of many requests, and keeps little of it for each', async () => {
    const bodies = [];
    for (let n = 1; n <= 40; n += 1) bodies.push(await scene.quote(n, { amountIn: '100', amountOut: '99' }));
    await scene.sees(bodies.map((body, n) => ({ ...scene.deposit(body, `d${n}`), transactionHash: 'crowd' })));
    let asked = 0;
    scene.origin.describeTransaction = async (txHash: string) => {
      asked += 1;
      const changes = new BalanceChanges();
      for (let n = 0; n < 1_000; n += 1) changes.add(`stranger${n}`, 'made-up', 1n);
      for (const { request } of await listed()) changes.add(request.user, scene.origin.coin, -100n);
      return {
        ...{ txHash, fee: '21', block: 101, type: 'onchain', chainId: 901, timestamp: 1, status: 'success' },
        ...{ data: { data: 'f'.repeat(100_000) }, ...changes.listed(() => false) },
      };
    };
    const listed = async () => {
      const filter = { all: [], hiddenChains: [] };
      const search = { filter, sortBy: 'createdAt', direction: 'asc', limit: 50, total: false } as const;
      return (await scene.store.search(search)).rows;
    };
    await new Describer(scene.context).round();
    expect(asked).toBe(1);
    expect(await scene.store.undescribed(100)).toEqual([]);
    const rows = await listed();
    expect(rows).toHaveLength(40);
    for (const { request, transactions } of rows) {
      const entry = transactions[0]?.entry ?? '';
      expect(entry.length).toBeLessThan(16_385);
      expect(JSON.parse(entry)).toMatchObject({ truncated: true });
      expect(entry).toContain(`"address":"${request.user}"`);
    }
  });

  it('lets a vanished deposit be', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.sees([], { rewoundTo: 100 });
    const describer = new Describer(scene.context);
    await describer.round();
    expect(await scene.store.undescribed(100)).toEqual([]);
    await scene.sees([scene.deposit(body, 'a')]);
    expect(await scene.store.undescribed(100)).toHaveLength(1);
  });
});
