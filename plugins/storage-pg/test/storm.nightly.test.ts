import type { ApplyOutcome, Change, Store } from '@causeway/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PgBench, storeOn } from './support/pg-harness.js';
import { applied, change, eventRow, insert, legRow, move, set } from './support/rows.js';

const [PROCESSES, CALLERS, SETS] = [3, 6, 25];
const LEGS = 8;

let bench: PgBench;

beforeAll(async () => {
  bench = await PgBench.start();
});
afterAll(() => bench?.stop());

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Deed {
  readonly changes: readonly Change[];
  readonly outcome: ApplyOutcome;
}

async function oneDeed(store: Store, draw: (below: number) => number, name: string): Promise<Deed> {
  const chosen = [draw(LEGS), draw(LEGS)].filter((n, at, all) => all.indexOf(n) === at);
  const known = new Map((await store.legs(chosen.map((n) => legRow(n).id))).map((leg) => [leg.id, leg]));
  const rows = chosen.map((n): Change => {
    const { version, amount } = known.get(legRow(n).id)!;
    return change(n, version, { amount: amount + 1n });
  });
  const amount = BigInt(1 + draw(9));
  const pot = draw(2);
  const reserve: Change = {
    op: 'count',
    account: `#reserved:${pot}`,
    by: amount,
    atMostPot: { account: `inventory:${pot}`, keep: 7n },
  };
  const books: readonly Change[] = [
    [reserve],
    [{ op: 'count', account: `#reserved:${pot}`, by: -amount, atLeast: 0n } as const],
    [move(name, `inventory:${pot}`, 'outside', amount), { ...reserve, by: 0n } as const],
    [move(name, 'outside', `inventory:${pot}`, amount)],
    [move(`shared:${draw(40)}`, 'outside', `inventory:${1 - pot}`, amount)],
  ][draw(5)]!;
  const event = insert('events', { ...eventRow(0), id: name, requestId: `0x${name}` });
  const changes = draw(2) === 0 ? [...rows, ...books, event] : [event, ...books, ...rows];
  return { changes, outcome: await store.apply(set(...changes)) };
}

describe('a storm of change sets from several processes', () => {
  it.each([1, 2])('loses no update, posts nothing twice and crosses no bound (seed %i)', async (seed) => {
    const url = await bench.database();
    const stores = Array.from({ length: PROCESSES }, () => storeOn(url));
    await Promise.all(stores.map((store) => store.open()));
    const [first] = stores as [Store, ...Store[]];
    for (let n = 0; n < LEGS; n += 1) await applied(first, insert('legs', legRow(n, { amount: 0n })));
    await applied(
      first,
      move('top-up:0', 'outside', 'inventory:0', 60n),
      move('top-up:1', 'outside', 'inventory:1', 60n),
    );

    const deeds: Deed[] = [];
    let storming = true;
    const crossings: string[] = [];
    const watcher = (async () => {
      while (storming) {
        const pots = new Map((await first.pots('')).map(({ account, amount }) => [account, amount]));
        for (const n of [0, 1]) {
          const [reserved, there] = [pots.get(`#reserved:${n}`) ?? 0n, pots.get(`inventory:${n}`) ?? 0n];
          if (reserved < 0n || reserved > there - 7n) crossings.push(`${reserved} reserved of ${there}`);
        }
      }
    })();
    await Promise.all(
      stores.flatMap((store, process) =>
        Array.from({ length: CALLERS }, async (_, caller) => {
          const draw = seeded(seed * 1_000 + process * 100 + caller);
          for (let n = 0; n < SETS; n += 1) deeds.push(await oneDeed(store, draw, `${process}-${caller}-${n}`));
        }),
      ),
    );
    storming = false;
    await watcher;
    expect(crossings).toEqual([]);

    const done = deeds.filter(({ outcome }) => outcome.ok).flatMap(({ changes }) => changes);
    expect(done.length).toBeGreaterThan(100);
    expect(deeds.some(({ outcome }) => !outcome.ok)).toBe(true);
    const legs = new Map(
      (await first.legs(Array.from({ length: LEGS }, (_, n) => legRow(n).id))).map((leg) => [leg.id, leg]),
    );
    for (const [id, { version, amount }] of legs) {
      const updates = done.filter((each) => each.op === 'update' && each.table === 'legs' && each.key.id === id).length;
      expect([id, version, amount]).toEqual([id, 1 + updates, BigInt(updates)]);
    }
    const totals = new Map<string, bigint>([
      ['inventory:0', 60n],
      ['inventory:1', 60n],
      ['outside', -120n],
    ]);
    const add = (account: string, by: bigint) => totals.set(account, (totals.get(account) ?? 0n) + by);
    const groups = new Set<string>();
    for (const each of done) {
      if (each.op === 'count') add(each.account, each.by);
      if (each.op !== 'post') continue;
      for (const { account, amount } of each.lines) add(account, amount);
      expect(groups.has(each.lines[0]!.groupId), 'posted twice').toBe(false);
      groups.add(each.lines[0]!.groupId);
    }
    for (const { account, amount } of await first.pots(''))
      expect([account, amount]).toEqual([account, totals.get(account)]);
    const written = done.flatMap((each) => (each.op === 'insert' && each.table === 'events' ? [each.row.id] : []));
    expect((await first.events(0, 10_000)).map(({ id }) => id).sort()).toEqual(written.sort());
    await Promise.all(stores.map((store) => store.close()));
  });
});
