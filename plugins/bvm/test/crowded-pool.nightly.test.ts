import type { Hex, IsPromised, OrderId } from '@causeway/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChainView } from '../src/chain-view.js';
import { pay, rivalOf, split, type WantedOutput } from './support/control.js';
import { lacks } from './support/have-node.js';
import { DEPOSITED, manyTransactions } from './support/many.js';
import { type LocalNode, startNode, until } from './support/node.js';
import { Following, type Own, startView } from './support/view.js';

const PLACES = 200;
const HONEST = 300_000n;

let orders = 0;
const nextOrder = (): Hex => {
  orders += 1;
  return `0x${orders.toString(16).padStart(64, 'c')}`;
};

describe.skipIf(lacks('bitcoin'))('a pool that a third party fills with dust', () => {
  let node: LocalNode;
  let own: Own;
  let purse: { readonly txid: string; readonly vout: number }[];
  const opened: { stop(): Promise<void> }[] = [];
  /** Undefined while the service does not know. */
  let promised: Set<OrderId> | undefined;

  beforeAll(async () => {
    node = await startNode('bitcoin', { blocks: 110 });
    own = { depository: await node.address(), lane: await node.address() };
    purse = [...(await split(node, 20, 1_000_000n))];
    // Keeps the wallet from spending them otherwise.
    await node.rpc('lockunspent', [false, purse.map(({ txid, vout }) => ({ txid, vout }))]);
  });
  afterAll(() => node?.stop());
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.stop();
    while ((await node.pool()).length > 0) await node.mine();
  });

  const asked = new Set<OrderId>();
  const isPromised: IsPromised = async (ids) => {
    for (const id of ids) asked.add(id);
    return new Set(ids.filter((id) => promised?.has(id)));
  };

  async function followed(): Promise<{ readonly view: ChainView; readonly watch: Following }> {
    promised = new Set();
    const { view } = await startView(node, own);
    opened.push(view);
    const watch = new Following(view, undefined, isPromised);
    opened.push(watch);
    await until('the first batch', () => watch.batches.length > 0 && view.pool.provider !== undefined);
    return { view, watch };
  }

  function coin() {
    const one = purse.pop();
    if (one === undefined) throw new Error('the purse is empty');
    return one;
  }

  async function deposit(orderId: Hex | undefined, satoshis = HONEST): Promise<string> {
    const memo: WantedOutput[] = orderId === undefined ? [] : [{ data: orderId }];
    return (await pay(node, { inputs: [coin()], outputs: [{ to: own.depository, satoshis }, ...memo] })).txid;
  }

  const promise = (orderId: Hex = nextOrder()): Hex => {
    promised?.add(orderId);
    return orderId;
  };

  /** Fills all places with minimal payments. */
  async function flood(view: ChainView, count: number): Promise<readonly string[]> {
    const many = await manyTransactions(node, own.depository, { count, deposits: count });
    for (const hex of many.hexes) await node.rpc('sendrawtransaction', [hex]);
    await until('the flood', () => many.deposits.every((txid) => view.pool.entries.has(txid)));
    return many.deposits;
  }

  const waiting = (watch: Following) => Object.values(watch.states()).filter((state) => state === 'mempool').length;

  it('with orders that no one promised: one that was promised is reported at once, the others in their block', async () => {
    const { view, watch } = await followed();
    const dust = await flood(view, PLACES);
    const honest = await deposit(promise());
    await until('the sighting', () => watch.state(honest) === 'mempool');
    const orphan = await deposit(undefined);
    const last = await deposit(promise());
    await until('what was sent after it', () => watch.state(last) === 'mempool');
    expect([...dust, orphan].map((txid) => watch.state(txid)).filter((state) => state !== undefined)).toEqual([]);
    await node.mine();
    await until('their block', () => [...dust, orphan, honest, last].every((txid) => watch.state(txid) === 'included'));
  });

  it('with orders that were promised: a larger deposit takes the place of a smaller one, which is reported in its block', async () => {
    const { view, watch } = await followed();
    for (let n = 0; n < PLACES; n += 1) promised?.add(`0x${n.toString(16).padStart(64, 'e')}`);
    const dust = await flood(view, PLACES);
    await until('all places to be taken', () => waiting(watch) === PLACES);
    const small = await deposit(promise(), DEPOSITED);
    const honest = await deposit(promise());
    await until('the sighting', () => watch.state(honest) === 'mempool');
    expect(watch.state(small)).toBeUndefined();
    // Every place is part of the cursor.
    expect((JSON.parse(watch.newest.cursor) as { waiting: unknown[] }).waiting).toHaveLength(PLACES);
    const another = new Following(view, watch.newest, isPromised);
    opened.push(another);
    const next = await deposit(promise());
    await until('the sighting', () => [watch, another].every((one) => one.state(next) === 'mempool'));
    await node.mine();
    const all = [...dust, small, honest, next];
    await until('their block', () =>
      [watch, another].every((one) => all.every((txid) => one.state(txid) === 'included')),
    );
  });

  it('with replacements of one transaction: what waits in the pool is reported rather than what left it', async () => {
    const { view, watch } = await followed();
    for (let n = 0; n < PLACES; n += 1) promised?.add(`0x${n.toString(16).padStart(64, 'e')}`);
    await flood(view, PLACES - 1);
    const first = await deposit(promise(), 900_000n);
    await until('all places to be taken', () => waiting(watch) === PLACES);
    const outputs = [{ to: own.depository, satoshis: 910_000n }, { data: promise() }];
    const rival = await rivalOf(node, first, [...outputs]);
    await node.rpc('sendrawtransaction', [rival.hex]);
    await until('the replacement', () => view.pool.entries.has(rival.txid) && !view.pool.entries.has(first));
    const honest = await deposit(promise());
    await until('the sighting', () => watch.state(honest) === 'mempool');
    // Otherwise one coin could cause any number of sightings.
    expect(watch.state(rival.txid)).toBeUndefined();
    await node.mine();
    await until('their block', () => [rival.txid, honest].every((txid) => watch.state(txid) === 'included'));
  });

  it('below what is worth a place: it is reported in its block', async () => {
    const { watch } = await followed();
    const dust = await deposit(promise(), DEPOSITED - 1n);
    const enough = await deposit(promise(), DEPOSITED);
    await until('the sighting', () => watch.state(enough) === 'mempool');
    expect(watch.state(dust)).toBeUndefined();
    await node.mine();
    await until('their block', () => [dust, enough].every((txid) => watch.state(txid) === 'included'));
  });

  it('while no one can say what was promised: nothing is reported, and nothing is forgotten', async () => {
    const { watch } = await followed();
    const orderId = promise();
    const known = promised;
    promised = undefined;
    const honest = await deposit(orderId);
    await until('it to be asked about', () => asked.has(orderId));
    expect(watch.state(honest)).toBeUndefined();
    promised = known;
    // A look before the retry time must not delay the next one.
    const next = await deposit(promise());
    await until('the sighting', () => watch.state(next) === 'mempool');
    await until('the sighting', () => watch.state(honest) === 'mempool', 30_000);
  });
});
