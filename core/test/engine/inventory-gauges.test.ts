import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServicePolicy } from '../../src/domain/policy.js';
import { InventoryView } from '../../src/engine/books/inventory.js';
import { reportInventory } from '../../src/engine/rounds/inventory-gauges.js';
import { MetricsHub } from '../../src/observability/metrics.js';
import { POLICY, Scene } from './support/scene.js';

let scene: Scene;
let hub: MetricsHub;
let view: InventoryView;

async function open(limits: Partial<ServicePolicy['limits']> = {}): Promise<void> {
  scene = await Scene.open({ limits: { ...POLICY.limits, ...limits } });
  hub = new MetricsHub({ process: false });
  view = new InventoryView();
}

beforeEach(() => open());

afterEach(async () => {
  await scene.close();
});

/** Engine series of a scrape, by name and labels. */
async function reported(): Promise<ReadonlyMap<string, number>> {
  await view.refresh(scene.context);
  await reportInventory({ ...scene.context, metrics: hub.view('engine') }, view);
  const lines = (await hub.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at).replace('causeway_engine_', ''), Number(line.slice(at + 1))] as const;
    }),
  );
}

const coinOf = (chain: number) => `chain="${chain}",currency="coin-${chain}",symbol="COIN"`;
const laneOf = (chain: number) => `${coinOf(chain)},lane="filler"`;

describe('gauges of inventory', () => {
  it('report whole units of what the books say, what is reserved and what is free of it', async () => {
    const before = await reported();
    expect(before.get(`inventory_units{${laneOf(902)}}`)).toBe(1);
    expect(before.get(`inventory_reserved_units{${laneOf(902)}}`)).toBe(0);
    expect(before.get(`inventory_free_units{${laneOf(902)}}`)).toBe(0.99999);
    expect(before.get(`inventory_available_units{${coinOf(902)}}`)).toBe(0.99999);

    const body = await scene.quote(1, { amountIn: '300000', amountOut: '297000' });
    await scene.sees([scene.deposit(body, 'd1')]);
    const after = await reported();
    expect(after.get(`inventory_units{${laneOf(902)}}`)).toBe(1);
    expect(after.get(`inventory_reserved_units{${laneOf(902)}}`)).toBe(0.297);
    expect(after.get(`inventory_free_units{${laneOf(902)}}`)).toBe(0.70299);
    expect(after.get(`inventory_available_units{${coinOf(902)}}`)).toBe(0.70299);
  });

  it('distinguish what is free and what deposits on their way will claim', async () => {
    scene.origin.depth = 5;
    await scene.sees([scene.deposit(await scene.quote(1, { amountIn: '300000', amountOut: '297000' }), 'd1')]);
    const now = await reported();
    expect(now.get(`inventory_free_units{${laneOf(902)}}`)).toBe(0.99999);
    expect(now.get(`inventory_available_units{${coinOf(902)}}`)).toBe(0.70299);
  });

  it('have a series for each lane and currency that is configured, also where nothing is left, and for no other', async () => {
    await reported();
    const { store } = scene.context;
    const holding = (pots: readonly { account: string; amount: bigint }[]) =>
      Object.assign(Object.create(store), {
        pots: async (prefix: string) => pots.filter(({ account }) => account.startsWith(prefix)),
      });
    Object.assign(scene.context, { store: holding([]) });
    const empty = await reported();
    expect(empty.get(`inventory_units{${laneOf(902)}}`)).toBe(0);
    expect(empty.get(`inventory_available_units{${coinOf(902)}}`)).toBe(0);
    const strange = ['inventory:902:filler:gone', 'inventory:777:filler:coin-777', '#unfinal:777:coin-777'];
    Object.assign(scene.context, { store: holding(strange.map((account) => ({ account, amount: 5n }))) });
    const names = [...(await reported()).keys()].filter((name) => name.includes('{'));
    expect(names).toHaveLength(2 * 3 + 2 * 2);
    expect(names.filter((name) => /gone|777/.test(name))).toEqual([]);
  });
});

describe('gauges of risk', () => {
  it('report dollars that are acted upon and not final, until they are', async () => {
    const body = await scene.quote(1, { amountIn: '300000', amountOut: '297000' });
    const paid = scene.deposit(body, 'd1');
    await scene.sees([paid]);
    const now = await reported();
    expect(now.get(`exposure_usd{${coinOf(901)}}`)).toBe(0.3);
    expect(now.get(`exposure_usd{${coinOf(902)}}`)).toBe(0);
    await scene.finalises(101, [{ ...paid, state: 'final' }]);
    expect((await reported()).get(`exposure_usd{${coinOf(901)}}`)).toBe(0);
  });

  it('report the volume of the day in dollars, which is none again the next day', async () => {
    await scene.sees([scene.deposit(await scene.quote(1, { amountIn: '300000', amountOut: '297000' }), 'd1')]);
    expect((await reported()).get('daily_volume_usd')).toBe(0.3);
    scene.now += 24 * 3_600_000;
    expect((await reported()).get('daily_volume_usd')).toBe(0);
  });

  it('report limits in addition to them, and nothing of a limit that there is not', async () => {
    const without = [...(await reported()).keys()];
    expect(without.filter((name) => name.includes('limit'))).toEqual([]);
    await scene.close();
    await open({ maxUnfinalMicroUsd: 250_500_000n, maxDailyMicroUsd: 1_000_000_000n });
    const limited = await reported();
    expect(limited.get('exposure_limit_usd')).toBe(250.5);
    expect(limited.get('daily_volume_limit_usd')).toBe(1_000);
  });

  it('report when they were read, so that gauges that stand still can be seen', async () => {
    expect((await reported()).get('books_read_timestamp_seconds')).toBe(scene.now / 1_000);
    scene.now += 5_000;
    expect((await reported()).get('books_read_timestamp_seconds')).toBe(scene.now / 1_000);
  });
});
