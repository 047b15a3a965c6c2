import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { legId } from '../../src/domain/accounts.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { Comparisons } from '../../src/engine/recovery/comparisons.js';
import { openLane } from '../../src/engine/recovery/open-lanes.js';
import { DESTINATION, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;
let body: QuoteBody;

beforeEach(async () => {
  scene = await Scene.open();
  body = await scene.quote(1);
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

/** Another process's comparison of its lane. */
const comparedElsewhere = (chain = scene.destination) => openLane(scene.context, chain, SIGNER);

describe('a process that just started', () => {
  it('believes no comparison that was made before, as the mark may come from the backup', async () => {
    const comparisons = new Comparisons(scene.context);
    await comparisons.begin();
    await comparisons.refresh();
    expect([ORIGIN, DESTINATION].map((chainId) => comparisons.of(chainId))).toEqual([false, false]);
  });

  it('believes those that are made from then on, no matter who holds the lane', async () => {
    const comparisons = new Comparisons(scene.context);
    await comparisons.begin();
    expect(await comparedElsewhere()).toBe(true);
    await comparisons.refresh();
    expect([ORIGIN, DESTINATION].map((chainId) => comparisons.of(chainId))).toEqual([false, true]);
    await comparisons.begin();
    expect(comparisons.of(DESTINATION)).toBe(true);
  });

  it('learns of a halt with the comparison that found it', async () => {
    const comparisons = new Comparisons(scene.context);
    await comparisons.begin();
    scene.destination.position = '2';
    let halted: string | null | undefined;
    const apply = scene.store.apply.bind(scene.store);
    scene.store.apply = async (set) => {
      const outcome = await apply(set);
      await comparisons.refresh();
      if (comparisons.of(DESTINATION)) halted ??= (await scene.store.lane(DESTINATION, SIGNER))?.halted;
      return outcome;
    };
    await comparedElsewhere();
    expect(halted).toContain('past the ledger');
  });
});

describe('a lane that another change overtook while it was compared', () => {
  it('does not count as compared', async () => {
    const comparisons = new Comparisons(scene.context);
    await comparisons.begin();
    scene.destination.position = '2';
    const apply = scene.store.apply.bind(scene.store);
    scene.store.apply = async (set) => {
      scene.store.apply = apply;
      const lane = await scene.store.lane(DESTINATION, SIGNER);
      await apply({
        name: 'elsewhere',
        changes: [
          {
            op: 'update',
            table: 'lanes',
            key: { id: lane?.id ?? '' },
            version: lane?.version ?? 0,
            set: { position: '1' },
          },
        ],
      });
      return apply(set);
    };
    expect(await comparedElsewhere()).toBe(false);
    await comparisons.refresh();
    expect(comparisons.of(DESTINATION)).toBe(false);
    expect(await comparedElsewhere()).toBe(true);
    await comparisons.refresh();
    expect(comparisons.of(DESTINATION)).toBe(true);
    expect((await scene.store.lane(DESTINATION, SIGNER))?.halted).not.toBeNull();
  });
});

describe('a lane that another comparison halted while it was compared', () => {
  it('stays halted: that one may have read the chain later', async () => {
    const { keys } = scene.destination;
    const lanePosition: typeof keys.lanePosition = async (...asked) => {
      scene.destination.keys = keys;
      const reported = await keys.lanePosition(...asked);
      scene.destination.position = '2';
      expect(await comparedElsewhere()).toBe(true);
      return reported;
    };
    scene.destination.keys = { ...keys, lanePosition };
    expect(await comparedElsewhere()).toBe(false);
    expect((await scene.store.lane(DESTINATION, SIGNER))?.halted).toContain('past the ledger');
  });
});

describe('until the lanes of a chain were compared', () => {
  const late = () => ({ timestamp: body.deadlineAt + 1, height: 101, id: 'late' });

  it('no deposit is refunded whose order they may have filled', async () => {
    scene.uncompared.add(DESTINATION);
    await scene.sees([scene.deposit(body, 'a', { block: late() })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    scene.uncompared.clear();
    scene.now += 20_000;
    await scene.pays(scene.origin);
    expect(scene.origin.prepared.map(({ legs }) => legs[0]?.legId)).toEqual([legId.refund('901:a:0')]);
  });

  it('no order is filled whose deposit they may have refunded', async () => {
    scene.uncompared.add(ORIGIN);
    await scene.sees([scene.deposit(body, 'a')]);
    await scene.settles(scene.destination);
    expect(scene.destination.prepared).toEqual([]);
    scene.uncompared.clear();
    scene.now += 20_000;
    await scene.settles(scene.destination);
    expect(scene.destination.prepared).toHaveLength(1);
  });

  it('a halt that comes with the comparison is not missed by who decides meanwhile', async () => {
    await scene.sees([scene.deposit(body, 'a', { block: late() })]);
    await scene.finalises(150);
    scene.uncompared.add(DESTINATION);
    scene.destination.position = '2';
    const lanes = scene.store.lanes.bind(scene.store);
    scene.store.lanes = async () => {
      scene.store.lanes = lanes;
      const before = await lanes();
      await comparedElsewhere();
      scene.uncompared.clear();
      return before;
    };
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
  });
});

describe('a lane that is missing from a ledger that others worked on', () => {
  const refund = (name: string) => scene.leg(legId.refund(`901:${name}:0`));

  /** The backup is older than the signer's sends. */
  async function begins(): Promise<void> {
    await scene.context.starts.readLedger(scene.context);
    await openLane(scene.context, scene.destination, 'second');
  }

  it('may have filled any order that is unknown here: what names one is held', async () => {
    await begins();
    await scene.sees([scene.deposit(null, 'o', { orderId: `0x${'99'.repeat(32)}` })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect(scene.origin.prepared).toEqual([]);
    expect((await refund('o'))?.state).toBe('held');
  });

  it('may have filled a known one whose deposit came before: refunding waits for an operator', async () => {
    await begins();
    scene.now += 1;
    const late = { timestamp: body.deadlineAt + 1, height: 101, id: 'late' };
    const early = { timestamp: scene.now - 10, height: 100, id: 'early' };
    const other = await scene.quote(2);
    await scene.sees([scene.deposit(body, 'a', { block: early }), scene.deposit(body, 'b', { block: early })]);
    await scene.sees([scene.deposit(other, 'c', { block: late })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect((await refund('b'))?.state).toBe('held');
    expect((await refund('c'))?.state).toBe('bound');
  });

  it('reports nothing where the ledger is new as well', async () => {
    await openLane(scene.context, scene.destination, 'second');
    await scene.sees([scene.deposit(null, 'o', { orderId: `0x${'99'.repeat(32)}` })]);
    await scene.finalises(150);
    await scene.pays(scene.origin);
    expect((await refund('o'))?.state).toBe('bound');
  });
});

describe('a chain that was taken out of the configuration', () => {
  const refund = () => scene.leg(legId.refund('901:a:0'));
  const late = () => ({ timestamp: body.deadlineAt + 1, height: 101, id: 'late' });

  async function gone(position: string): Promise<void> {
    scene.destination.position = position;
    await openLane(scene.context, scene.destination, SIGNER);
    await scene.sees([scene.deposit(body, 'a', { block: late() })]);
    await scene.finalises(150);
    (scene.context.chains as Map<number, unknown>).delete(DESTINATION);
    await scene.pays(scene.origin);
  }

  it('while its lane was halted leaves its refunds to an operator, not to a wait without end', async () => {
    await gone('2');
    expect(scene.origin.prepared).toEqual([]);
    expect((await refund())?.state).toBe('held');
    expect(await scene.store.holds('open')).toHaveLength(1);
  });

  it('with all its sends known has its deposits refunded', async () => {
    await gone('0');
    expect((await refund())?.state).toBe('bound');
  });
});
