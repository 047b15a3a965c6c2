import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { counter, legId } from '../../src/domain/accounts.js';
import type { PriceBook } from '../../src/domain/price-book.js';
import { audit } from '../../src/engine/operator/audit.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  await scene.close();
});

const DEPOSIT = { fundingKey: '901:a:0' };

function prices(book: PriceBook['price']): void {
  Object.assign(scene.context, { prices: { price: book } });
}

describe('what a transfer counts for', () => {
  it('is its value, rounded up', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await scene.depositRow(DEPOSIT)).valueUsd).toBe(100_000);
  });

  it('is what its order promises for it, where that is more expensive', async () => {
    prices(({ chainId }) => ({ ok: true, usd: chainId === 902 ? '1.5' : '1', at: scene.now }));
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a')]);
    const promised = (BigInt(body.amountOut) * 3n) / 2n;
    expect((await scene.depositRow(DEPOSIT)).valueUsd).toBe(Number(promised));
    expect(promised).toBeGreaterThan(100_000n);
  });

  it('is the quoted value while prices are missing: an outage makes no deposit small', async () => {
    prices(() => ({ ok: false, why: 'stale' }));
    const body = await scene.quote(1, {});
    await scene.sees([scene.deposit(body, 'a')]);
    expect((await scene.depositRow(DEPOSIT)).valueUsd).toBe(100_000);
    expect(await scene.pot('#unfinal:901:coin-901')).toBe(100_000n);
  });

  it.each([
    ['the largest amount there is', 2n ** 256n - 1n],
    ['one unit past what a row can hold', BigInt(Number.MAX_SAFE_INTEGER) + 1n],
  ])('is capped for %s', async (_, amount) => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'a', { amount })]);
    expect((await scene.depositRow(DEPOSIT)).valueUsd).toBe(Number.MAX_SAFE_INTEGER);
    expect(await scene.leg(legId.excess('901:a:0'))).toMatchObject({ covers: amount - 100_000n });
  });
});

describe('a token that is not served any more', () => {
  beforeEach(async () => {
    const body = await scene.quote(1, { origin: { chainId: 901, currency: 'made-up', symbol: 'X', decimals: 6 } });
    await scene.sees([scene.deposit(body, 'a', { currency: 'made-up', amount: 2n ** 255n })]);
    await scene.finalises(150);
  });

  it('and was promised something for, is held for an operator past its deadline', async () => {
    scene.now += 3_600_000;
    await scene.sees([]);
    await scene.settles(scene.origin);
    expect(await scene.requestOf(DEPOSIT)).toMatchObject({
      status: 'failure',
      failReason: 'PROTOCOL_DEADLINE_EXPIRED',
      refundFailReason: 'MANUAL_REFUND_REQUIRED',
    });
    expect(await scene.store.holds('open')).toMatchObject([{ currency: 'made-up', amount: 2n ** 255n }]);
  });

  it('does not unbalance the audit, whatever it says of its balances', async () => {
    scene.origin.potBalance = async ({ pot }) => {
      if (pot === 'depository') return 0n;
      return scene.origin.balance;
    };
    const report = await audit(scene.context);
    expect(report.pots.find(({ account }) => account.includes('made-up'))).toMatchObject({
      chain: null,
      drift: 'currencyNotConfigured',
    });
    expect(report.balanced).toBe(true);
  });
});

describe('a late deposit', () => {
  const late = { height: 101, id: 'late', timestamp: 1_700_000_000_000 + 40_000 };
  /** Two assets: a late deposit needs today's prices. */
  const terms = {
    inDecimals: 6,
    outDecimals: 6,
    inUsd: '1',
    outUsd: '1.0',
    relayerGas: '0',
    serviceBps: 100,
    serviceFloor: '0',
    appFees: [],
  };

  it('is filled at the prices of the day', async () => {
    const body = await scene.quote(1, { terms });
    prices(({ chainId }) => ({ ok: true, usd: chainId === 901 ? '1' : '1.005', at: scene.now }));
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    expect(await scene.leg(legId.fill(body.orderId))).toMatchObject({ amount: 98_486n, covers: 100_000n });
  });

  it('waits for prices, and is refunded when they never come', async () => {
    const body = await scene.quote(1, { terms });
    prices(() => ({ ok: false, why: 'stale' }));
    await scene.sees([scene.deposit(body, 'a', { block: late })]);
    await scene.finalises(150);
    expect((await scene.depositRow(DEPOSIT)).decision).toBe('waiting');
    scene.now = body.deadlineAt + 1;
    await scene.sees([]);
    expect((await scene.request(body)).failReason).toBe('PROTOCOL_DEADLINE_EXPIRED');
    expect((await scene.leg(legId.refund('901:a:0')))?.state).toBe('owed');
  });
});

describe('limits', () => {
  it('let a deposit wait for room, and give it up with the reason when there is none in time', async () => {
    await scene.close();
    scene = await Scene.open({
      limits: { maxRequestMicroUsd: null, maxUnfinalMicroUsd: null, maxDailyMicroUsd: 150_000n, dustMicroUsd: 0n },
    });
    const [first, second] = [await scene.quote(1), await scene.quote(2)];
    await scene.sees([scene.deposit(first, 'a'), scene.deposit(second, 'b')]);
    expect(await scene.leg(legId.fill(second.orderId))).toMatchObject({
      state: 'short',
      reason: 'SOLVER_CAPACITY_EXCEEDED',
    });
    scene.now = second.deadlineAt - 2_000;
    await scene.settles(scene.destination);
    expect(await scene.request(second)).toMatchObject({ status: 'pending', failReason: 'SOLVER_CAPACITY_EXCEEDED' });
  });

  it('are read as they stand today, however many days there were', async () => {
    const changes = Array.from({ length: 400 }, (_, day) => {
      const by = 100_000n;
      return { op: 'count', account: counter.volume(scene.now - (day + 1) * 86_400_000), by } as const;
    });
    expect(await scene.store.apply({ name: 'past', changes })).toEqual({ ok: true });
    const rows: string[] = [];
    const store = new Proxy(scene.context.store, {
      get: (target, name) => {
        if (name !== 'pots') return Reflect.get(target, name);
        return async (prefix: string) => {
          const found = await target.pots(prefix);
          rows.push(...found.map(({ account }) => account));
          return found;
        };
      },
    });
    Object.assign(scene.context, { store });
    await scene.sees([scene.deposit(await scene.quote(1), 'a')]);
    await scene.sees([scene.deposit(await scene.quote(2), 'b')]);
    expect(rows.filter((account) => account.startsWith('inventory:'))).not.toEqual([]);
    expect(new Set(rows.filter((account) => account.startsWith('#volume:')))).toEqual(
      new Set([counter.volume(scene.now)]),
    );
  });

  it('of unfinal exposure do not concern a deposit that is final', async () => {
    await scene.close();
    scene = await Scene.open({
      limits: { maxRequestMicroUsd: null, maxUnfinalMicroUsd: 100_000n, maxDailyMicroUsd: null, dustMicroUsd: 0n },
    });
    const [first, second] = [await scene.quote(1), await scene.quote(2)];
    await scene.finalises(90);
    await scene.sees([
      scene.deposit(first, 'a'),
      scene.deposit(second, 'b', { state: 'final', block: { height: 90, id: 'f', timestamp: scene.now } }),
    ]);
    expect((await scene.leg(legId.fill(first.orderId)))?.state).toBe('owed');
    expect((await scene.leg(legId.fill(second.orderId)))?.state).toBe('owed');
  });
});

describe('a lane that can do nothing about 50 due legs', () => {
  async function fifty(): Promise<void> {
    const bodies = [];
    for (let n = 1; n <= 50; n += 1) bodies.push(await scene.quote(n, { amountIn: '100', amountOut: '99' }));
    await scene.sees(bodies.map((body, n) => scene.deposit(body, `d${n}`)));
  }

  it('rests while its signer is out of gas', async () => {
    await fifty();
    scene.destination.prepareFails = { ok: false, why: 'noGas', message: 'empty' };
    expect(await scene.round(scene.destination)).toBe(false);
    scene.destination.prepareFails = null;
    // An unpayable leg is briefly on hold.
    scene.now += 2_000;
    expect(await scene.round(scene.destination)).toBe(true);
    expect(scene.destination.prepared).toHaveLength(50);
  });

  it('rests while it is halted', async () => {
    await fifty();
    const lane = await scene.store.lane(902, SIGNER);
    if (!lane) throw new Error('no lane');
    await scene.store.apply({
      name: 'halt',
      changes: [{ op: 'update', table: 'lanes', key: { id: lane.id }, version: lane.version, set: { halted: 'why' } }],
    });
    expect(await scene.round(scene.destination)).toBe(false);
  });
});
