import { describe, expect, it } from 'vitest';
import { refuseOwing } from '../../src/host/rehearsal/refuse-owing.js';
import { createLogger } from '../../src/observability/logger.js';
import { Redactor } from '../../src/observability/redactor.js';
import type { Demand } from '../../src/rehearsal/demand.js';
import { KEPT_DAYS, Rehearsal, rehearsedDays } from '../../src/rehearsal/rehearsal.js';
import { memoryStore } from '../../src/store/memory/memory-store.js';

const DAY_MS = 86_400_000;
const BEGIN = Date.UTC(2026, 10, 29);
const side = (chainId: number, currency = 'c') => ({ chainId, currency, symbol: 'C', decimals: 6 });

async function scene(store = memoryStore({ clock: { monotonic: () => 0 } })) {
  await store.open();
  const time = { now: BEGIN };
  const clock = { now: () => time.now, every: () => () => {} };
  const log = createLogger({ level: 'error', redactor: new Redactor(), write: () => {} });
  const rehearsal = new Rehearsal({ store, clock, log });
  const ask = (payer: string, amount: bigint, change: Partial<Demand> = {}): void => {
    const [origin, destination] = [side(1), side(2)];
    const flows = { paid: [{ side: destination, amount }], received: [{ side: origin, amount }] };
    const sums = { volume: amount, fees: 1n, charged: 3n, cost: 2n, receivedAfterMs: 120_000 };
    rehearsal.quoted({ at: time.now, payer, origin, destination, ...sums, ...flows, ...change });
  };
  /** A minute later, as the timer does. */
  const later = async (ms = 61_000) => {
    time.now += ms;
    await rehearsal.flush();
    return rehearsedDays(store, time.now);
  };
  return { store, time, rehearsal, ask, later };
}

describe('what a rehearsal counts', () => {
  it('is the last amount of a payer for a pair, once it asks no more, and survives a crash after that', async () => {
    const { store, ask, later } = await scene();
    ask('a', 5n);
    ask('a', 7n);
    ask('b', 2n ** 200n);
    expect((await later(1_000))[0]?.total).toMatchObject({ quotes: 3, fills: 0 });
    await later();
    const [day] = await rehearsedDays(store, BEGIN);
    const volume = 7n + 2n ** 200n;
    expect(day?.total).toEqual({ quotes: 3, fills: 2, volume, fees: 2n, charged: 6n, cost: 4n });
  });

  it('needs what is out at once: deposits come back when they are collected', async () => {
    const { ask, later } = await scene();
    const back = { origin: side(2), destination: side(1) };
    ask('a', 10n);
    await later();
    ask('b', 4n, { ...back, paid: [{ side: side(1), amount: 4n }], received: [{ side: side(2), amount: 4n }] });
    await later();
    await later(120_000);
    ask('c', 3n);
    const days = await later();
    const at = (chainId: number) => Object.values(days[0]?.places ?? {}).find((one) => one.side.chainId === chainId);
    expect(at(2)).toMatchObject({ paid: 13n, received: 4n, peak: 10n });
    expect(at(1)).toMatchObject({ paid: 4n, received: 10n });
  });

  it('stays bounded, and forgets days after a month', async () => {
    const { store, time, ask, later, rehearsal } = await scene();
    for (let n = 0; n < 10_500; n += 1) ask(`payer ${n}`, 1n, { destination: side(2, `currency ${n % 1_000}`) });
    const [day] = await later(1_000);
    expect(day?.total).toMatchObject({ quotes: 10_500, fills: 500 });
    expect(Object.keys(day?.routes ?? {})).toHaveLength(200);
    for (let n = 0; n < KEPT_DAYS; n += 1) {
      time.now += DAY_MS;
      rehearsal.refused('AMOUNT_TOO_LOW');
      await rehearsal.flush();
    }
    await rehearsal.stop();
    const days = await rehearsedDays(store, time.now);
    expect(days).toHaveLength(KEPT_DAYS);
    expect(days[0]?.at).toBe(BEGIN + DAY_MS);
  });

  it('is added up from several processes', async () => {
    const one = await scene();
    const other = await scene(one.store.another());
    one.ask('a', 1n);
    other.ask('b', 2n);
    await Promise.all([one.rehearsal.stop(), other.rehearsal.stop()]);
    expect((await rehearsedDays(one.store, BEGIN))[0]?.total).toMatchObject({ fills: 2, volume: 3n });
  });
});

it('a rehearsal is refused a database in which something is owed', async () => {
  const problem = (path: readonly (string | number)[], message: string) => ({ path: path.join('.'), message });
  const assembly = { config: { problem } } as unknown as Parameters<typeof refuseOwing>[0];
  await refuseOwing(assembly, { engine: { openWork: async () => 0 } });
  await expect(refuseOwing(assembly, { engine: { openWork: async () => 3 } })).rejects.toThrow();
});
