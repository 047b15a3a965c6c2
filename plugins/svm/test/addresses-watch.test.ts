import type { Clock, Hex } from '@causeway/core';
import { RpcError } from '@causeway/core/rpc';
import { expect, it } from 'vitest';
import { testBook } from './support/address-book.js';
import { type Asked, answer, asked, type FakeNode, type FakeTransaction } from './support/fake-ledger.js';
import { addressOf, fakeTransaction, idOf, signatureOf, type Wish } from './support/fake-transactions.js';
import { type Applied, fakeWatch, VAULT } from './support/fake-watch.js';
import { eventually } from './support/legs.js';
import { lookedAt } from './support/services.js';

const START = 200_000;

interface Scene {
  readonly node: FakeNode;
  readonly landed: Map<string, FakeTransaction>;
  readonly asked: Asked;
  land(wish: Wish): string;
}

function scene(
  answers = (node: FakeNode, method: string, params: readonly unknown[]) => answer(node, method, params),
): Scene {
  const landed = new Map<string, FakeTransaction>();
  const node: FakeNode = { head: START, oldest: START - 100_000, landed };
  return {
    node,
    landed,
    asked: asked((method, params) => answers(node, method, params)),
    land: (wish) => {
      landed.set(...fakeTransaction(wish));
      return signatureOf(wish.name);
    },
  };
}

const nothing: Applied = { cursor: undefined, seen: new Map() };

function watched(of: Scene, names: readonly string[], from: Applied = nothing, clock?: Clock) {
  const book = testBook(from);
  for (const name of names) book.add(idOf(name) as Hex, addressOf(name));
  const onState = (state: Applied): void => {
    book.applied = state;
  };
  const watch = fakeWatch(of.node, of.asked.rpc, from, { book, onState, ...(clock && { clock }) });
  const states = () =>
    [...watch.state.seen.values()].map(({ transactionHash, state, amount }) => `${transactionHash} ${state} ${amount}`);
  const until = async (wanted: readonly string[]): Promise<void> => {
    const goal = JSON.stringify([...wanted].sort());
    await eventually(
      async () => JSON.stringify(states().sort()),
      (now) => now === goal,
      15_000,
    ).catch(() => {
      expect(states().sort()).toEqual([...wanted].sort());
    });
  };
  return { book, watch, states, until };
}

function at(of: Scene, slot: number): void {
  of.node.head = slot;
}

it('finds what is paid among many touches, and delays neither other addresses nor the depository', async () => {
  const one = scene();
  const { watch, until } = watched(one, ['spammed', 'quiet']);
  await watch.poll();
  const [spammed, quiet] = [addressOf('spammed'), addressOf('quiet')];
  const first = one.land({ name: 'first', slot: START + 1, touches: [spammed], lamports: 5_000_000n });
  for (let n = 0; n < 2_500; n += 1)
    one.land({ name: `touch ${n}`, slot: START + 2 + Math.floor(n / 200), touches: [spammed] });
  const other = one.land({ name: 'other', slot: START + 15, touches: [quiet], lamports: 7_000_000n });
  const deposit = one.land({ name: 'deposit', slot: START + 15, touches: [VAULT], lamports: 9_000_000n });
  at(one, START + 16);
  await watch.poll();
  expect(watch.state.seen.size).toBeGreaterThan(0);
  await until([`${first} included 5000000`, `${other} included 7000000`, `${deposit} included 9000000`]);
  expect(one.asked.most()).toBeLessThanOrEqual(40);
  const read = one.asked.calls.filter(({ method }) => method === 'getTransaction').map(({ params }) => params[0]);
  expect(new Set(read).size).toBe(read.length);
  const inOrder = [...watch.state.seen.keys()].map((key) => key.split(':')[1]);
  expect(inOrder.indexOf(other)).toBeLessThan(inOrder.indexOf(first));
  await watch.end();
});

it('waits for a list that lags behind the balance', async () => {
  let hidden = true;
  const one = scene((node, method, params) => {
    const reported = answer(node, method, params);
    if (method !== 'getSignaturesForAddress' || params[0] !== addressOf('paid') || !hidden) return reported;
    return [];
  });
  const { watch, states, until } = watched(one, ['paid']);
  await watch.poll();
  const paid = one.land({ name: 'paid', slot: START + 1, touches: [addressOf('paid')], lamports: 5_000_000n });
  at(one, START + 2);
  await watch.poll();
  await eventually(
    async () => one.asked.calls.filter(({ params }) => params[0] === addressOf('paid')).length,
    (count) => count >= 3,
  );
  expect(states()).toEqual([]);
  hidden = false;
  await until([`${paid} included 5000000`]);
  await watch.end();
});

it.each([
  { question: 'getSignaturesForAddress', reading: 'histories of deposit addresses' },
  { question: 'getTransaction', reading: 'transactions of deposit addresses' },
])('blames a node that refuses $question while the depository is quiet', async ({ question, reading }) => {
  let isRefused = true;
  const one = scene((node, method, params) => {
    const isBlock = question === 'getTransaction' && method === 'getBlock';
    if (isRefused && (isBlock || (method === question && params[0] !== VAULT)))
      throw new RpcError('not today', -32_000, null);
    return answer(node, method, params);
  });
  const { watch, until } = watched(one, ['paid']);
  await watch.poll();
  const paid = one.land({ name: 'paid', slot: START + 1, touches: [addressOf('paid')], lamports: 5_000_000n });
  at(one, START + 2);
  await watch.poll();
  await eventually(
    async () => [...watch.refused],
    (now) => now.includes(reading),
  );
  isRefused = false;
  await until([`${paid} included 5000000`]);
  expect([...watch.refused]).toEqual([]);
  await watch.end();
});

it('reads an unreadable transaction from its block, and else names it while others go on', async () => {
  const one = scene();
  const { watch, until } = watched(one, ['odd', 'lost', 'quiet']);
  await watch.poll();
  const odd = one.land({
    name: 'odd',
    slot: START + 1,
    touches: [addressOf('odd')],
    lamports: 1_000n,
    shown: 'refused',
  });
  const lost = one.land({
    name: 'lost',
    slot: START + 1,
    touches: [addressOf('lost')],
    lamports: 2_000n,
    shown: 'lost',
  });
  const { inBlock: _, ...unseen } = one.landed.get(lost) as FakeTransaction;
  const whole = one.landed.get(lost)?.inBlock;
  const quiet = one.land({ name: 'quiet', slot: START + 1, touches: [addressOf('quiet')], lamports: 3_000n });
  let isShown = false;
  const normal = one.landed.get(lost) as FakeTransaction;
  Object.defineProperty(normal, 'inBlock', { get: () => whole });
  Object.defineProperty(normal, 'shown', { get: () => (isShown ? whole : 'lost') });
  expect(unseen.shown).toBe('lost');
  at(one, START + 2);
  await watch.poll();
  await until([`${odd} included 1000`, `${lost} included 2000`, `${quiet} included 3000`]);
  isShown = true;
  await watch.end();
});

it('takes back what a fork dropped, and follows what lands in another slot', async () => {
  const one = scene();
  const { watch, until } = watched(one, ['dropped', 'moved']);
  await watch.poll();
  const pays = (name: string, slot: number) => ({ name, slot, touches: [addressOf(name)], lamports: 4_000n });
  const dropped = one.land(pays('dropped', START + 1));
  const moved = one.land(pays('moved', START + 1));
  at(one, START + 2);
  await watch.poll();
  await until([`${dropped} included 4000`, `${moved} included 4000`]);
  one.landed.delete(dropped);
  one.land(pays('moved', START + 3));
  at(one, START + 4);
  await watch.poll();
  at(one, START + 36);
  await watch.poll();
  await until([`${dropped} vanished 4000`, `${moved} final 4000`]);
  const found = [...watch.state.seen.values()].find(({ transactionHash }) => transactionHash === moved);
  expect(found?.block?.height).toBe(START + 3);
  one.land(pays('dropped', START + 38));
  at(one, START + 40);
  await watch.poll();
  await until([`${dropped} included 4000`, `${moved} final 4000`]);
  await watch.end();
});

it('repeats after a restart what may be reverted, without what is gone, and reports no key twice', async () => {
  const one = scene();
  const first = watched(one, ['kept', 'gone', 'old']);
  await first.watch.poll();
  const pays = (name: string, slot: number) => ({ name, slot, touches: [addressOf(name)], lamports: 4_000n });
  const old = one.land(pays('old', START + 1));
  at(one, START + 40);
  await first.watch.poll();
  await first.until([`${old} final 4000`]);
  const [kept, gone] = [one.land(pays('kept', START + 41)), one.land(pays('gone', START + 41))];
  at(one, START + 42);
  await first.watch.poll();
  await first.until([`${old} final 4000`, `${kept} included 4000`, `${gone} included 4000`]);
  await first.watch.end();
  one.landed.delete(gone);
  const late = one.land(pays('late', START + 43));
  at(one, START + 44);
  const again = watched(one, ['kept', 'gone', 'old', 'late'], first.watch.state);
  await again.watch.poll();
  await again.until([
    ...[`${old} final 4000`, `${kept} included 4000`],
    ...[`${gone} vanished 4000`, `${late} included 4000`],
  ]);
  const rewound = again.watch.batches.filter(({ rewoundTo }) => rewoundTo !== undefined);
  expect(rewound).toHaveLength(1);
  expect(rewound[0]?.deposits.map(({ transactionHash }) => transactionHash)).toContain(kept);
  at(one, START + 80);
  await again.watch.poll();
  await again.until([
    ...[`${old} final 4000`, `${kept} final 4000`],
    ...[`${gone} vanished 4000`, `${late} final 4000`],
  ]);
  await again.watch.end();
});

it('asks no more of a node for very many addresses, and looks first at the newest', async () => {
  const one = scene();
  const names = Array.from({ length: 8_000 }, (_, n) => `many ${n}`);
  const { book, watch, states, until } = watched(one, names);
  await watch.poll();
  const balances = () => one.asked.calls.filter(({ method }) => method === 'getMultipleAccounts').length;
  await eventually(
    async () => balances(),
    (count) => count >= 16,
  );
  const looks: number[] = [];
  const look = async (slot: number): Promise<void> => {
    const before = one.asked.calls.length;
    at(one, slot);
    await watch.poll();
    await new Promise((resolve) => setTimeout(resolve, 50));
    looks.push(one.asked.calls.length - before);
  };
  book.add(idOf('newest') as Hex, addressOf('newest'));
  const [early, paid] = ['many 3', 'newest'].map((name) =>
    one.land({ name, slot: START + 1, touches: [addressOf(name)], lamports: 5_000n }),
  );
  await look(START + 1);
  await until([`${paid} included 5000`]);
  for (let n = 2; n <= 20; n += 1) await look(START + n);
  expect(Math.max(...looks)).toBeLessThan(60);
  expect(states().sort()).toEqual([`${early} included 5000`, `${paid} included 5000`].sort());
  await watch.end();
});

it('finds a transfer that came together with a sweep of the same amount', async () => {
  const one = scene();
  const { watch, until } = watched(one, ['twice'], nothing, lookedAt(500));
  await watch.poll();
  const pays = { touches: [addressOf('twice')], lamports: 5_000n };
  const first = one.land({ name: 'first', slot: START + 1, ...pays });
  at(one, START + 2);
  await watch.poll();
  await until([`${first} included 5000`]);
  sweepBack(one, 'sweep', START + 3, pays);
  const second = one.land({ name: 'second', slot: START + 3, ...pays });
  for (let n = 4; n < 12; n += 1) {
    at(one, START + n);
    await watch.poll();
  }
  await until([`${first} included 5000`, `${second} included 5000`]);
  await watch.end();
});

/** Takes back what such a transaction brings. */
function sweepBack({ landed }: Scene, name: string, slot: number, pays: Pick<Wish, 'touches' | 'lamports'>): void {
  const [signature, made] = fakeTransaction({ name, slot, ...pays });
  const { meta, transaction } = made.inBlock as NonNullable<FakeTransaction['inBlock']>;
  const back = {
    transaction,
    meta: meta && { ...meta, preBalances: meta.postBalances, postBalances: meta.preBalances },
  };
  landed.set(signature, { ...made, shown: back, inBlock: back });
}

it('goes through empty addresses after a start, for a ledger that was restored', async () => {
  const one = scene();
  const name = 'swept';
  const pays = { touches: [addressOf(name)], lamports: 5_000n };
  const paid = one.land({ name: 'paid', slot: START - 90, ...pays });
  sweepBack(one, 'sweep', START - 80, pays);
  const { watch, until } = watched(one, [name]);
  await watch.poll();
  at(one, START + 1);
  await watch.poll();
  await until([`${paid} final 5000`]);
  await watch.end();
});
