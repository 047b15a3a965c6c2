import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { account, counter } from '../../src/domain/accounts.js';
import { SIGNER_CHANGED, stranded, unclaimableFees } from '../../src/engine/operator/strays.js';
import { noteDayPrices } from '../../src/engine/report/day-prices.js';
import { report } from '../../src/engine/report/report.js';
import { DESTINATION, NOW, ORIGIN } from './support/quotes.js';
import { Scene } from './support/scene.js';
import { SIGNER } from './support/scripted-chain.js';
import { COIN, EARNED, Shop } from './support/shop.js';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.open();
});

afterEach(async () => {
  scene.errors.length = 0;
  await scene.close();
});

const EVER = [0, Number.MAX_SAFE_INTEGER] as const;

/** A deposit that is filled, and vanishes after its fill was final. */
async function lose(n: number): Promise<bigint> {
  const body = await scene.quote(n);
  const deposit = scene.deposit(body, `lost-${n}`);
  await scene.sees([deposit]);
  await scene.pays(scene.destination);
  scene.destination.lands(`${SIGNER}:0`, 501, { final: true });
  await scene.tracks(scene.destination);
  await scene.sees([{ ...deposit, state: 'vanished', block: null }]);
  return deposit.amount;
}

describe('a report', () => {
  it('has every line of the books: its accounts are the pots, and add up to zero', async () => {
    await new Shop(scene).earn(1);
    const { accounts } = await report(scene.context, ...EVER);
    const pots = (await scene.store.pots('')).filter(({ account: name }) => !name.startsWith('#'));
    const sums = new Map<string, bigint>();
    for (const { account: name, amount } of pots) {
      const parts = name.split(':');
      const key = `${parts[0]} ${parts[1]} ${parts.at(-1)}`;
      sums.set(key, (sums.get(key) ?? 0n) + amount);
    }
    expect(new Map(accounts.map((one) => [`${one.kind} ${one.chainId} ${one.currency}`, one.amount]))).toEqual(sums);
  });

  it('measures a fill: volume, app fee, payout and gas, on its route and in dollars', async () => {
    await new Shop(scene).earn(1);
    await noteDayPrices({ ...scene.context });
    const { rows } = await report(scene.context, ...EVER);
    const of = (measure: string) => rows.find((row) => row.measure === measure);
    const route = { originChainId: ORIGIN, destinationChainId: DESTINATION };
    expect(of('volume')).toMatchObject({ ...route, chainId: ORIGIN, amount: 100_000n, microUsd: 100_000n });
    expect(of('appFees')).toMatchObject({ ...route, amount: EARNED });
    expect(of('paid')).toMatchObject({ ...route, chainId: DESTINATION });
    expect(of('gas')).toMatchObject({ ...route, chainId: DESTINATION, unpriced: 0n });
    expect((of('gas')?.microUsd ?? 0n) > 0n).toBe(true);
  });

  it('counts a deposit as lost while it is gone though it was filled, and no longer once it is back', async () => {
    const amount = await lose(1);
    const lost = async () => (await report(scene.context, ...EVER)).rows.find(({ measure }) => measure === 'reorged');
    expect(await lost()).toMatchObject({ amount, originChainId: ORIGIN });
  });

  it('counts what failed transactions cost apart', async () => {
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'deposit-1')]);
    await scene.pays(scene.destination);
    scene.destination.lands(`${SIGNER}:0`, 501, { final: true, ok: false });
    await scene.tracks(scene.destination);
    const { rows } = await report(scene.context, ...EVER);
    expect(rows.find(({ measure }) => measure === 'failed')).toMatchObject({ chainId: DESTINATION });
    expect(rows.find(({ measure }) => measure === 'gas')).toBeUndefined();
  });

  it('notes one price per day, whatever comes later', async () => {
    await noteDayPrices({ ...scene.context });
    const higherPrices = { price: () => ({ ok: true, usd: '3', at: NOW }) as const };
    await noteDayPrices({ ...scene.context, prices: higherPrices });
    const day = new Date(NOW).toISOString().slice(0, 10);
    expect(await scene.pot(counter.dayPrice(day, ORIGIN, COIN))).toBe(10n ** 18n);
  });

  it('comes in parts that add up, each after the one before', async () => {
    const line = { requestId: null, legId: null, createdAt: NOW };
    for (let n = 0; n < 21; n += 1) {
      const changes = Array.from({ length: 500 }, (_, at) => ({
        op: 'post' as const,
        lines: [
          { ...line, groupId: `g${n}-${at}`, account: account.inventory(ORIGIN, SIGNER, COIN), amount: 2n },
          { ...line, groupId: `g${n}-${at}`, account: account.inflow(ORIGIN, COIN), amount: -2n },
        ],
      }));
      await scene.store.apply({ name: 'test', changes });
    }
    const first = await report(scene.context, NOW, NOW + 1);
    expect(first.next).toBeDefined();
    const second = await report(scene.context, NOW, NOW + 1, first.next);
    expect(second.next).toBeUndefined();
    const inflow = [first, second].flatMap(({ rows }) => rows).filter(({ measure }) => measure === 'inflow');
    expect(inflow.reduce((sum, { amount }) => sum + amount, 0n)).toBe(21n * 500n * 2n);
  });
});

describe('a chain that is not served any more', () => {
  it('is named with what is owed there, and with payments and transactions of its lanes', async () => {
    const served = new Map([[DESTINATION, scene.destination]]);
    expect(await stranded({ chains: served, store: scene.store })).toEqual([]);
    const body = await scene.quote(1);
    await scene.sees([scene.deposit(body, 'deposit-1')]);
    expect(await stranded({ chains: served, store: scene.store })).toContain(
      `100000 units of ${COIN} (owed) on chain ${ORIGIN}, which is not configured`,
    );
    const origin = new Map([[ORIGIN, scene.origin]]);
    expect((await stranded({ chains: origin, store: scene.store })).join()).toMatch(/lane 902:filler/);
    await scene.pays(scene.destination);
    expect((await stranded({ chains: origin, store: scene.store })).join()).toMatch(/1 open keys of lane 902:filler/);
    const rotated = Object.create(scene.destination, { lanes: { value: [{ signer: 'new', sends: ['fill'] }] } });
    const both = new Map([...origin, [DESTINATION, rotated as typeof scene.destination]]);
    const left = (await stranded({ chains: both, store: scene.store })).filter((what) => what.includes('902:filler'));
    expect(left).toContain(`1 open keys of lane 902:filler, ${SIGNER_CHANGED}`);
    expect(left.every((what) => what.endsWith(SIGNER_CHANGED))).toBe(true);
  });

  it('is left with app fees that can be claimed once it is served again', async () => {
    await new Shop(scene).earn(1);
    const served = { chains: new Map([[DESTINATION, scene.destination]]), store: scene.store };
    expect(await stranded(served)).toEqual([]);
    expect(await unclaimableFees(served)).toEqual([
      `${EARNED} units of ${COIN} on chain ${ORIGIN} are owed to integrators`,
    ]);
  });
});
