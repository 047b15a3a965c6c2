import type { Hex } from '@causeway/core';
import { eitherOf, first, type JsonRpcFaultProxy, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BvmChainOptions } from '../src/options.js';
import { pay, reorg, split, startPair } from './support/control.js';
import { lacks } from './support/have-node.js';
import { type LocalNode, startNode, until, withCredentials } from './support/node.js';
import { Following, type Own, polled, type Saved, startView } from './support/view.js';

let orders = 0;
const nextOrder = (): Hex => {
  orders += 1;
  return `0x${orders.toString(16).padStart(64, 'c')}`;
};

describe.skipIf(lacks('bitcoin'))('watching a real node', () => {
  let node: LocalNode;
  let own: Own;
  let purse: { readonly txid: string; readonly vout: number }[];
  const opened: { stop(): Promise<void> }[] = [];

  beforeAll(async () => {
    node = await startNode();
    own = { depository: await node.address(), lane: await node.address() };
    purse = [...(await split(node, 60, 1_000_000n))];
  });
  afterAll(() => node?.stop());
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.stop();
  });

  async function process(from?: Saved, more: Partial<BvmChainOptions> = {}) {
    const { view, reported } = await startView(node, own, more);
    opened.push(view);
    const watch = new Following(view, from);
    opened.push(watch);
    await until('the first batch', () => from !== undefined || watch.batches.length > 0);
    return { view, reported, watch };
  }

  async function deposit(at: LocalNode = node): Promise<string> {
    const input = purse.pop();
    if (input === undefined) throw new Error('the purse is empty');
    const outputs = [{ to: own.depository, satoshis: 300_000n }, { data: nextOrder() }];
    return (await pay(at, { inputs: [input], outputs })).txid;
  }

  const withoutFaults = async (): Promise<JsonRpcFaultProxy> => {
    const proxy = await jsonRpcFaultProxy(node.url);
    opened.push({ stop: () => proxy.close() });
    return proxy;
  };
  const through = (proxy: JsonRpcFaultProxy): Partial<BvmChainOptions> => ({
    rpc: [{ http: withCredentials(proxy.url), zmq: 'off' }],
  });

  it('begins now, and reports every head with what is final', async () => {
    const before = await deposit();
    await node.mine();
    const { watch } = await process();
    const [begin] = watch.batches;
    expect([begin?.deposits, begin?.head.height]).toEqual([[], await node.height()]);
    for (let n = 0; n < 3; n += 1) {
      const [id] = await node.mine();
      await until('the head', () => watch.batches.at(-1)?.head.id === id);
      const { head, finalized } = watch.batches.at(-1) ?? {};
      expect(finalized?.height).toBe((head?.height ?? 0) - 6);
      const { mediantime } = await node.rpc<{ mediantime: number }>('getblockheader', [id]);
      expect(head?.timestamp).toBe(mediantime * 1000);
    }
    expect(watch.state(before)).toBeUndefined();
  });

  it('finds what was paid while no one watched, over many blocks', async () => {
    const { watch, view } = await process();
    const { newest } = watch;
    await watch.stop();
    await view.stop();
    const made: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      made.push(await deposit());
      await node.mine(20);
    }
    const later = await process(newest);
    await until('all of them', () => made.every((txid) => later.watch.state(txid) === 'final'));
    // In batches, each resumable.
    const heights = later.watch.batches.map(({ cursor }) => cursor.match(/\[(\d+),/g)?.length ?? 0);
    expect(later.watch.batches.length).toBeGreaterThanOrEqual(3);
    expect(Math.max(...heights)).toBeLessThan(80);
    expect(later.watch.newest.cursor.length).toBeLessThan(5_000);
    const middle = later.watch.saved[1];
    const again = await process(middle);
    await until('the rest', () => made.every((txid) => again.watch.state(txid) === 'final'));
    expect(again.watch.reported()).toEqual(later.watch.reported());
  });

  it('stays on one branch though the chain changes while it reads', async () => {
    const { watch, view } = await process();
    const { newest } = watch;
    await watch.stop();
    await view.stop();
    await node.mine(5);
    const early = await deposit();
    await node.mine(8);
    const proxy = await withoutFaults();
    const reached = (await node.height()) - 3;
    let replaced = false;
    proxy.plan = ({ method, params }) => {
      // Lower blocks were read from the old branch; higher ones come from the new one.
      if (replaced || method !== 'getblockhash' || params[0] !== reached) return 'pass';
      replaced = true;
      return { delayMs: 400 };
    };
    const later = await process(newest, through(proxy));
    await until('it to be in the midst of it', () => replaced);
    await reorg(node, 9);
    const late = await deposit();
    await node.mine();
    await until('both', () => [early, late].every((txid) => later.watch.state(txid) !== undefined));
    const head = await node.rpc<string>('getbestblockhash');
    await until('the head', () => later.watch.isAt(head));
    const again = await process(newest);
    await until('the head', () => again.watch.isAt(head));
    expect(again.watch.reported()).toEqual(later.watch.reported());
    for (const [, , , , id] of later.watch.reported() as readonly (readonly unknown[])[])
      expect(await node.rpc<{ confirmations: number }>('getblockheader', [id])).not.toHaveProperty('confirmations', -1);
    const marks = JSON.parse(later.watch.newest.cursor).marks as readonly (readonly [number, string])[];
    for (const [height, id] of marks) expect(await node.rpc('getblockhash', [height])).toBe(id);
  });

  it('waits for a node that is gone, and misses nothing', async () => {
    const proxy = await withoutFaults();
    const { watch, view } = await process(undefined, through(proxy));
    proxy.plan = () => 'dropBefore';
    const txid = await deposit();
    await node.mine(3);
    await until('the outage to be noticed', () => view.problem() !== null);
    expect(watch.state(txid)).toBeUndefined();
    proxy.plan = () => 'pass';
    await until('the deposit', () => watch.state(txid) === 'included');
    await until('health', () => view.problem() === null);
  });

  it('goes over to the next node, whose pool and blocks it then reads', async () => {
    const pair = await startPair('bitcoin');
    opened.push(pair);
    const [one, two] = pair.nodes;
    const there = { depository: await one.address(), lane: await one.address() };
    const [coin] = await split(one, 1, 1_000_000n);
    const proxy = await jsonRpcFaultProxy(one.url);
    opened.push({ stop: () => proxy.close() });
    const { view } = await startView(one, there, {
      rpc: [
        { http: withCredentials(proxy.url), zmq: 'off' },
        { http: two.url, zmq: 'off' },
      ],
    });
    opened.push(view);
    const watch = new Following(view);
    opened.push(watch);
    await until('the first batch', () => watch.batches.length > 0);
    proxy.plan = () => 'dropBefore';
    if (coin === undefined) throw new Error('not split');
    const outputs = [{ to: there.depository, satoshis: 300_000n }, { data: nextOrder() }];
    const { txid } = await pay(one, { inputs: [coin], outputs });
    await until('the sighting', () => watch.state(txid) === 'mempool');
    expect(view.pool.provider?.index).toBe(1);
    await until('the other node to have it', async () => (await two.pool()).includes(txid));
    await two.mine();
    await until('its block', () => watch.state(txid) === 'included');
  });

  it('takes nothing back for a node that lags behind', async () => {
    const pair = await startPair('bitcoin');
    opened.push(pair);
    const [one, two] = pair.nodes;
    const there = { depository: await one.address(), lane: await one.address() };
    const [coin] = await split(one, 1, 1_000_000n);
    if (coin === undefined) throw new Error('not split');
    await until('both to agree', async () => (await one.height()) === (await two.height()));
    const proxy = await jsonRpcFaultProxy(one.url);
    opened.push({ stop: () => proxy.close() });
    const { view } = await startView(one, there, {
      rpc: [
        { http: withCredentials(proxy.url), zmq: 'off' },
        { http: two.url, zmq: 'off' },
      ],
    });
    opened.push(view);
    const watch = new Following(view);
    opened.push(watch);
    await until('the first batch', () => watch.batches.length > 0);
    const outputs = [{ to: there.depository, satoshis: 300_000n }, { data: nextOrder() }];
    const { txid } = await pay(one, { inputs: [coin], outputs });
    // Avoids waiting for propagation.
    await two.rpc('sendrawtransaction', [await one.rpc('getrawtransaction', [txid])]);
    await until('the other node to have it', async () => (await two.pool()).includes(txid));
    // The second node keeps the deposit in its mempool.
    await pair.partition();
    await one.mine(2);
    await until('its block', () => watch.state(txid) === 'included');
    proxy.plan = () => 'dropBefore';
    await until('the other node', () => view.feed.current?.provider.index === 1);
    await until('its pool', () => view.pool.provider?.index === 1 && view.pool.entries.has(txid));
    const batches = watch.batches.length;
    view.feed.poke();
    view.pool.poke();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([watch.state(txid), watch.batches.slice(batches)]).toEqual(['included', []]);
    // Another branch of the same height.
    await two.mine(3);
    await until('the other branch', () => watch.batches.at(-1)?.rewoundTo !== undefined);
    await until('its block there', () => watch.state(txid) === 'included');
  });

  it('believes no block that is not what it is called', async () => {
    const proxy = await withoutFaults();
    const { watch, reported } = await process(undefined, through(proxy));
    const [txid, other] = [await deposit(), await deposit()];
    let lies = 0;
    const genuine: string[] = [];
    proxy.plan = only('getblock', {
      rewrite: (reply) => {
        if (!('result' in reply) || typeof reply.result !== 'string') return reply;
        genuine.push(reply.result);
        lies += 1;
        // The last transaction is missing, and the count is adjusted.
        if (lies <= 2) return { result: withoutOne(reply.result) };
        return reply;
      },
    });
    await node.mine();
    await until('its block', () => watch.state(txid) === 'included' && watch.state(other) === 'included');
    expect(lies).toBeGreaterThan(2);
    expect(genuine.length).toBeGreaterThan(2);
    expect(reported.alerts.list()).toEqual([]);
  });

  it('reports that a node pruned the blocks it needs', async () => {
    const proxy = await withoutFaults();
    const { watch, reported } = await process(undefined, through(proxy));
    proxy.plan = only('getblock', { error: { code: -1, message: 'Block not available (pruned data)' } });
    const txid = await deposit();
    await node.mine();
    await until('the alert', () => reported.alerts.list().length > 0);
    expect(reported.alerts.list()[0]?.id).toMatch(/^history-/);
    proxy.plan = () => 'pass';
    await until('its block', () => watch.state(txid) === 'included');
    expect(reported.alerts.list()).toEqual([]);
  });

  it('reads what one node pruned from another', async () => {
    const proxy = await withoutFaults();
    proxy.plan = only('getblock', { error: { code: -1, message: 'Block not available (pruned data)' } });
    const rpc = [{ http: withCredentials(proxy.url), zmq: 'off' }, { http: node.url }];
    const { watch, reported } = await process(undefined, { rpc });
    const txid = await deposit();
    await node.mine();
    await until('its block', () => watch.state(txid) === 'included');
    expect(proxy.faulted().length).toBeGreaterThan(0);
    expect(reported.alerts.list()).toEqual([]);
  });

  it('reads through odd answers of a node that is starting or has no index yet', async () => {
    const proxy = await withoutFaults();
    const { watch } = await process(undefined, through(proxy));
    const message = 'No such mempool transaction. Blockchain transactions are still in the process of being indexed.';
    proxy.plan = eitherOf(
      only('getrawtransaction', first(4, { error: { code: -5, message } })),
      only('getblock', first(1, { error: { code: -28, message: 'Loading block index…' } })),
      only('getrawmempool', first(1, { error: { code: -28, message: 'Loading block index…' } })),
      only('getblockhash', first(1, { error: { code: -8, message: 'Block height out of range' } })),
    );
    const txid = await deposit();
    await node.mine();
    await until('its block', () => watch.state(txid) === 'included');
  });

  it('sees deposits at once, and polls when nothing is published any more', async () => {
    const { view, watch, reported } = await process(undefined, { watch: { pollMs: 5_000, poolPollMs: 5_000 } });
    await until('the pool', () => view.pool.provider !== undefined);
    // The connection is trusted after its first message.
    await node.fund(await node.address(), 10_000n);
    const times: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const txid = await deposit();
      const sent = performance.now();
      await until('the sighting', () => watch.state(txid) === 'mempool', 4_000);
      times.push(performance.now() - sent);
    }
    await node.mine();
    await until(
      'the block, too',
      () => watch.batches.at(-1)?.head.height !== undefined && watch.reported().length >= 5,
      4_000,
    );
    expect(reported.lines.filter(({ level }) => level === 'error')).toEqual([]);
    times.sort((a, b) => a - b);
    expect(times[2]).toBeLessThan(1_000);
  });

  it('looks at once when it is asked to', async () => {
    const slow = { watch: { pollMs: 60_000, poolPollMs: 60_000 } };
    const { view, watch } = await process(undefined, { rpc: polled(node), ...slow });
    await until('the pool', () => view.pool.provider !== undefined);
    const txid = await deposit();
    view.hint(txid);
    await until('the sighting', () => watch.state(txid) === 'mempool');
    const later = await process(undefined, { rpc: polled(node), ...slow });
    await until('its first batch', () => later.watch.batches.length > 0);
    await node.mine();
    later.view.hint(txid);
    await until('its block', () => later.watch.state(txid) === 'included');
  });

  it('lists no pool for hints, and asks about one transaction in each poll interval', async () => {
    const proxy = await withoutFaults();
    const slow = { watch: { pollMs: 60_000, poolPollMs: 60_000 } };
    const { view, watch } = await process(undefined, { ...through(proxy), ...slow });
    await until('the pool', () => view.pool.provider !== undefined);
    const counts = () => ['getrawmempool', 'getbestblockhash', 'getmempoolentry'].map((method) => proxy.count(method));
    const before = counts();
    const txid = await deposit();
    view.hint(txid);
    for (let n = 0; n < 400; n += 1) {
      view.hint(n.toString(16).padStart(64, '0'));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until('the sighting', () => watch.state(txid) === 'mempool');
    for (const [n, count] of counts().entries()) expect(count - (before[n] ?? 0)).toBeLessThan(4);
  });

  it('ends when it is asked to', async () => {
    const { watch } = await process();
    await watch.stop();
    const { length } = watch.batches;
    await node.mine();
    await deposit();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(watch.batches.length).toBe(length);
  });
});

function withoutOne(hex: string): string {
  const count = Number.parseInt(hex.slice(160, 162), 16);
  return `${hex.slice(0, 160)}${(count - 1).toString(16).padStart(2, '0')}${hex.slice(162)}`;
}
