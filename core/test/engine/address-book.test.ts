import { describe, expect, it } from 'vitest';
import { watchAgain } from '../../src/capabilities/deposit-addresses/again.js';
import { LiveAddressBook } from '../../src/capabilities/deposit-addresses/book.js';
import type { AddressRow } from '../../src/contract/index.js';
import type { Labels } from '../../src/contract/observability.js';
import { memoryStore } from '../../src/store/memory/memory-store.js';
import { ScriptedChain } from './support/scripted-chain.js';

const MINUTE = 60_000;
const START = 1_700_000_000_000;

function row(n: number, change: Partial<AddressRow> = {}): AddressRow {
  const salt = `0x${n.toString(16).padStart(64, '0')}` as const;
  const plain = {
    id: `901:a${n}`,
    version: 1,
    chainId: 901,
    address: `a${n}`,
    salt,
    orderId: salt,
    type: 'open',
    keyId: null,
  } as const;
  return { ...plain, createdAt: START, hotUntil: START + 7 * 86_400_000, ...change };
}

async function scene(watchesAll = false) {
  let now = START;
  const clock = { now: () => now, monotonic: () => now };
  const store = memoryStore({ clock });
  await store.open();
  const chain = new ScriptedChain(901);
  const plain = { derive: () => '', steps: () => [], held: async () => [] };
  chain.capabilities = { depositAddresses: { ...plain, ...(watchesAll ? { watchesAll: true } : { sweeps: true }) } };
  const gauges: Record<string, number> = {};
  const metrics = {
    gauge: (_name: string, _help: string, value: number, labels: Labels = {}) => {
      gauges[String(labels['watched'])] = value;
    },
  };
  const book = new LiveAddressBook({ store, clock, metrics }, chain);
  const add = (...rows: AddressRow[]) =>
    store.apply({ name: 'add', changes: rows.map((one) => ({ op: 'insert', table: 'addresses', row: one }) as const) });
  const pass = (ms: number) => {
    now += ms;
  };
  return { store, clock, gauges, book, add, pass };
}

describe('the addresses that a watcher gets', () => {
  it('are all that were durable before it asked, also those that were committed late', async () => {
    const { book, add, pass } = await scene();
    await add(row(1));
    await book.refresh();
    expect([...book.watched.keys()]).toEqual(['a1']);
    pass(30_000);
    // Clocks of other processes may be anywhere.
    await add(row(3, { createdAt: START + 3_600_000 }));
    await book.refresh();
    await add(row(2, { createdAt: START - 3_600_000 }));
    await book.refresh();
    expect([...book.watched.keys()].sort()).toEqual(['a1', 'a2', 'a3']);
  });

  it('go out of use after a week, and are looked at within each hour for ever', async () => {
    const { book, add, pass } = await scene();
    await add(row(1, { hotUntil: START + MINUTE }));
    await book.refresh();
    let watched = 0;
    for (let minute = 0; minute < 120; minute += 1) {
      pass(MINUTE);
      await book.refresh();
      if (minute > 0 && book.watched.has('a1')) watched += 1;
    }
    expect(watched).toBe(2);
  });

  it('are in use again at once where a client or an operator asks', async () => {
    const { store, clock, book, add, pass } = await scene();
    await add(row(1, { hotUntil: START }));
    await book.refresh();
    while (book.watched.has('a1')) {
      pass(MINUTE);
      await book.refresh();
    }
    const [known] = await store.addresses(['901:a1']);
    if (known === undefined) throw new Error('no such address');
    await watchAgain({ store, clock }, known);
    for (let minute = 0; minute < 3; minute += 1) {
      await book.refresh();
      expect(book.watched.has('a1')).toBe(true);
      pass(MINUTE);
    }
  });

  it('are in use again however many others are asked for with them', async () => {
    const { store, clock, book, add, pass } = await scene();
    const many = Array.from({ length: 520 }, (_, n) => row(n + 1, { hotUntil: START }));
    await add(...many);
    await book.refresh();
    for (const one of many) await watchAgain({ store, clock }, one);
    await book.refresh();
    expect(many.slice(-500).filter(({ address }) => !book.watched.has(address))).toEqual([]);
    // The others by the next whole reading.
    pass(10 * MINUTE);
    await book.refresh();
    expect(many.filter(({ address }) => !book.watched.has(address))).toEqual([]);
  });

  it('are counted by how they are watched', async () => {
    const { store, clock, gauges, book, add, pass } = await scene();
    await add(row(1), row(2, { hotUntil: START + MINUTE }), row(3, { hotUntil: START }));
    await book.refresh();
    expect(gauges).toEqual({ always: 2, hourly: 1 });
    pass(2 * MINUTE);
    await book.refresh();
    expect(gauges).toEqual({ always: 1, hourly: 2 });
    await watchAgain({ store, clock }, row(3, { hotUntil: START }));
    await add(row(4));
    await book.refresh();
    expect(gauges).toEqual({ always: 3, hourly: 1 });
  });

  it('stay for ever where watching costs nothing', async () => {
    const { book, add, pass } = await scene(true);
    await add(row(1, { hotUntil: START }));
    for (let minute = 0; minute < 5; minute += 1) {
      await book.refresh();
      expect(book.watched.has('a1')).toBe(true);
      pass(MINUTE);
    }
  });
});
