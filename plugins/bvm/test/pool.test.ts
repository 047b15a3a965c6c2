import { rmSync } from 'node:fs';
import type { Hex } from '@causeway/core';
import { HttpClient } from '@causeway/core/rpc';
import { first, type JsonRpcFault, jsonRpcFaultProxy, only, tcpProxy } from '@causeway/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { publishedAddress } from '../src/rpc/published.js';
import { openSequence } from '../src/rpc/sequence.js';
import { build, doubleSpend, pay, reorg, split } from './support/control.js';
import { newFolder } from './support/folder.js';
import { lacks } from './support/have-node.js';
import { type LocalNode, startNode, until, withCredentials } from './support/node.js';
import { Following, startView } from './support/view.js';

let orders = 0;
const nextOrder = (): Hex => {
  orders += 1;
  return `0x${orders.toString(16).padStart(64, 'd')}`;
};

describe.skipIf(lacks('bitcoin'))('the pool of a node', () => {
  const opened: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.stop();
  });

  async function started(node: LocalNode, zmq?: string) {
    const own = { depository: await node.address(), lane: await node.address() };
    const { view, reported } = await startView(node, own, {
      rpc: [{ http: node.url, ...(zmq === undefined ? {} : { zmq }) }],
    });
    opened.push(view);
    const watch = new Following(view);
    opened.push(watch);
    await until('the first batch', () => watch.batches.length > 0 && view.pool.provider !== undefined);
    const deposit = async (input: { txid: string; vout: number } | undefined): Promise<string> => {
      if (input === undefined) throw new Error('not split');
      const outputs = [{ to: own.depository, satoshis: 300_000n }, { data: nextOrder() }];
      return (await pay(node, { inputs: [input], outputs })).txid;
    };
    return { own, view, reported, watch, deposit };
  }

  it('is heard again after the node was away, and nothing of between is missed', async () => {
    const dataDir = newFolder();
    const before = await startNode('bitcoin', { dataDir });
    opened.push({ stop: async () => rmSync(dataDir, { recursive: true, force: true }) });
    const [one, two, three] = await split(before, 3, 1_000_000n);
    const { view, watch, deposit } = await started(before);
    const first = await deposit(one);
    await until('the sighting', () => watch.state(first) === 'mempool');
    await before.stop();
    await until('the outage to be noticed', () => view.problem() !== null);
    const node = await startNode('bitcoin', { dataDir, ports: before, blocks: 0 });
    opened.push(node);
    const send = async (input: typeof two): Promise<string> => {
      if (input === undefined) throw new Error('not split');
      const to = view.scripts.all().find(({ role }) => role === 'depository')?.address ?? '';
      const outputs = [{ to, satoshis: 300_000n }, { data: nextOrder() }];
      return (await pay(node, { inputs: [input], outputs })).txid;
    };
    const second = await send(two);
    await until('the sighting', () => watch.state(second) === 'mempool');
    const third = await send(three);
    await until('the sighting', () => watch.state(third) === 'mempool');
    await node.mine();
    await until('their block', () => [first, second, third].every((txid) => watch.state(txid) === 'included'));
  });

  it('is listed where what is published leaves something out', async () => {
    const [node, other] = await Promise.all([startNode(), startNode()]);
    opened.push(node, other);
    const coins = await split(node, 4, 1_000_000n);
    // Listens to the other node.
    const { view, reported, watch, deposit } = await started(node, other.zmq);
    await other.mine();
    const left = () => reported.lines.some(({ message }) => message.includes('left something out'));
    for (const coin of coins) {
      const txid = await deposit(coin);
      // The other chain's block triggers a listing.
      await until('the sighting', async () => {
        await other.mine();
        return watch.state(txid) === 'mempool';
      });
    }
    await until('the fault to be noticed', async () => {
      await other.mine();
      return left();
    });
    expect(view.pool.provider).toBeDefined();
  });

  it('has our part of it and nothing else, however it changes', async () => {
    const node = await startNode();
    opened.push(node);
    const coins = await split(node, 30, 1_000_000n);
    const { own, view, watch, deposit } = await started(node);
    const kept: string[] = [];
    for (const [n, coin] of coins.entries()) {
      if (n % 3 === 0) await pay(node, { inputs: [coin], outputs: [{ to: await node.address(), satoshis: 5_000n }] });
      else if (n % 3 === 1) kept.push(await deposit(coin));
      else kept.push((await pay(node, { inputs: [coin], outputs: [{ to: own.lane, satoshis: 6_000n }] })).txid);
    }
    const names = () => [...view.pool.entries.keys()].sort();
    await until('all kept transactions', () => names().length === kept.length);
    expect(names()).toEqual([...kept].sort());
    // A replaced transaction vanishes with its descendants.
    const [first = ''] = kept;
    const child = await pay(node, {
      inputs: [{ txid: first, vout: 0 }],
      outputs: [{ to: own.lane, satoshis: 100_000n }],
    });
    await until('the child', () => view.pool.entries.has(child.txid));
    await doubleSpend(node, first);
    await until('both to be gone', () => !names().some((txid) => txid === first || txid === child.txid));
    const [block] = await node.mine();
    await until('the block', () => watch.isAt(block ?? '') && names().length === 0);
    await reorg(node, 1, { keep: 'waiting' });
    await until('all but one back', () => names().length === kept.length - 1);
    expect(names()).toEqual(kept.slice(1).sort());
  });

  it('also has what spends an output of the service that was confirmed before the process began', async () => {
    const node = await startNode();
    opened.push(node);
    const own = { depository: await node.address(), lane: await node.address() };
    const coin = await node.fund(own.lane, 1_000_000n);
    await node.mine();
    const spend = await pay(node, { inputs: [coin], outputs: [{ to: await node.address(), satoshis: 900_000n }] });
    const { view } = await startView(node, own);
    opened.push(view);
    await until('it to be known', () => view.pool.entries.has(spend.txid));
    expect(view.coins.get(coin)?.spentInPool).toBe(spend.txid);
  });

  it('leaves on hold what it cannot read, and has the rest', async () => {
    const node = await startNode();
    opened.push(node);
    const own = { depository: await node.address(), lane: await node.address() };
    const [one, two, three] = await split(node, 3, 1_000_000n);
    const proxy = await jsonRpcFaultProxy(node.url);
    opened.push({ stop: () => proxy.close() });
    // Extension block transaction without inputs and outputs; one of an unknown kind.
    const alone = `020000000008000001${'ab'.repeat(50)}00000000`;
    const strange = new Map<unknown, string>();
    proxy.plan = ({ method, params }) => {
      const odd = method === 'getrawtransaction' ? strange.get(params[0]) : undefined;
      return odd === undefined ? 'pass' : { result: odd };
    };
    const send = async (input: typeof one): Promise<string> => {
      if (input === undefined) throw new Error('not split');
      const outputs = [{ to: own.depository, satoshis: 300_000n }, { data: nextOrder() }];
      const { txid, hex } = await build(node, { inputs: [input], outputs });
      if (strange.size < 2) strange.set(txid, strange.size === 0 ? alone : `0200000000ff${hex.slice(12)}`);
      return node.rpc<string>('sendrawtransaction', [hex]);
    };
    const rpc = [{ http: withCredentials(proxy.url), zmq: 'off' }, { http: node.url }];
    const { view } = await startView(node, own, { rpc });
    opened.push(view);
    const watch = new Following(view);
    opened.push(watch);
    await until('the first batch', () => watch.batches.length > 0 && view.pool.provider !== undefined);
    const made = [await send(one), await send(two), await send(three)];
    await until('what can be read', () => watch.state(made[2] ?? '') === 'mempool');
    expect([view.pool.provider?.index, made.map((txid) => watch.state(txid))]).toEqual([
      0,
      [undefined, undefined, 'mempool'],
    ]);
    await node.mine();
    await until('their block', () => made.every((txid) => watch.state(txid) === 'included'));
  });

  it.each<readonly [string, JsonRpcFault]>([
    ['broke off', 'dropBefore'],
    ['was refused', { error: { code: -32_603, message: 'not now' } }],
    ['found nothing yet', { error: { code: -5, message: 'No such mempool or blockchain transaction' } }],
  ])('asks again for a listed transaction when reading it %s', async (_, fault) => {
    const node = await startNode('bitcoin', { blocks: 1 });
    opened.push(node);
    const proxy = await jsonRpcFaultProxy(node.url);
    opened.push({ stop: () => proxy.close() });
    const own = { depository: await node.address(), lane: await node.address() };
    const { view } = await startView(node, own, { rpc: [{ http: withCredentials(proxy.url), zmq: 'off' }] });
    opened.push(view);
    const watch = new Following(view);
    opened.push(watch);
    await until('the first batch', () => watch.batches.length > 0 && view.pool.provider !== undefined);
    proxy.plan = only('getrawtransaction', first(1, fault));
    const { txid } = await pay(node, { outputs: [{ to: own.depository, satoshis: 300_000n }, { data: nextOrder() }] });
    await until('the sighting', () => watch.state(txid) === 'mempool');
    expect(proxy.faulted()).toHaveLength(1);
  });

  it('reports what pays us while the rest of a large pool is still being read', async () => {
    const node = await startNode('bitcoin', { blocks: 3 });
    opened.push(node);
    const proxy = await jsonRpcFaultProxy(node.url);
    opened.push({ stop: () => proxy.close() });
    const own = { depository: await node.address(), lane: await node.address() };
    const [one, two] = await split(node, 2, 1_000_000n);
    if (one === undefined || two === undefined) throw new Error('not split');
    const other = await pay(node, { inputs: [one], outputs: [{ to: await node.address(), satoshis: 300_000n }] });
    proxy.plan = only(({ method, params }) => method === 'getrawtransaction' && params[0] === other.txid, {
      delayMs: 8_000,
    });
    const { view } = await startView(node, own, {
      rpc: [{ http: withCredentials(proxy.url), zmq: node.zmq ?? 'off' }],
    });
    opened.push(view);
    const watch = new Following(view);
    opened.push(watch);
    await until('the pool to be read', () => watch.batches.length > 0 && proxy.faulted().length > 0);
    const outputs = [{ to: own.depository, satoshis: 300_000n }, { data: nextOrder() }];
    const { txid } = await pay(node, { inputs: [two], outputs });
    await until('the sighting', () => watch.state(txid) === 'mempool');
    expect(view.pool.provider).toBeUndefined();
  });

  it('is listed seldom where that takes long', async () => {
    const node = await startNode('bitcoin', { blocks: 0 });
    opened.push(node);
    const proxy = await jsonRpcFaultProxy(node.url);
    opened.push({ stop: () => proxy.close() });
    proxy.plan = only('getrawmempool', { delayMs: 200 });
    const own = { depository: await node.address(), lane: await node.address() };
    const { view } = await startView(node, own, { rpc: [{ http: withCredentials(proxy.url), zmq: 'off' }] });
    opened.push(view);
    await until('some listings', () => proxy.count('getrawmempool') > 4);
    const times = proxy.calls.filter(({ method }) => method === 'getrawmempool').map(({ at }) => at);
    const [before = 0, last = 0] = times.slice(-2);
    expect(last - before).toBeGreaterThan(950);
  });

  it('is believed no longer once the node that publishes it does not answer', async () => {
    const node = await startNode('bitcoin', { blocks: 0 });
    opened.push(node);
    const proxy = await tcpProxy({ host: '127.0.0.1', port: node.zmqPort });
    opened.push(proxy);
    const heard: string[] = [];
    const feed = await openSequence(`tcp://127.0.0.1:${proxy.port}`, ({ kind }) => void heard.push(kind), 200);
    opened.push({ stop: async () => feed?.close() });
    await until('a block', async () => {
      await node.mineOnly([]);
      return heard.includes('block');
    });
    expect(heard).not.toContain('lost');
    proxy.plan = () => 'freeze';
    await until('the silence to be noticed', () => heard.includes('lost'));
    proxy.plan = () => 'pass';
    heard.length = 0;
    await until('a block', async () => {
      await node.mineOnly([]);
      return heard.includes('block');
    });
  });

  it('is heard where the node publishes it, unless that is for its own machine alone', async () => {
    const node = await startNode('bitcoin', { blocks: 0 });
    opened.push(node);
    const rpc = new HttpClient({ url: node.url, label: 'node', timeoutMs: 5_000, maxInFlight: 1, maxBatch: 1 });
    expect(await publishedAddress({ rpc }, node.url)).toBe(node.zmq);
    // What listens there on this machine would be another node.
    expect(await publishedAddress({ rpc }, 'http://10.0.0.2:8332')).toBeUndefined();
  });

  it('has children that a listing names before their parents', async () => {
    const node = await startNode();
    opened.push(node);
    const own = { depository: await node.address(), lane: await node.address() };
    const inputs = await split(node, 12, 1_000_000n);
    const proxy = await jsonRpcFaultProxy(node.url);
    opened.push({ stop: () => proxy.close() });
    // Nodes list parents first today; reversed order must work too.
    const reversed = (reported: { txids: string[] }) => ({ ...reported, txids: [...reported.txids].reverse() });
    proxy.plan = only('getrawmempool', {
      rewrite: (reply) => ('result' in reply ? { result: reversed(reply.result as { txids: string[] }) } : reply),
    });
    const slow = { watch: { pollMs: 50, poolPollMs: 60_000 } };
    const rpc = [{ http: withCredentials(proxy.url), zmq: 'off' }];
    const { view } = await startView(node, own, { rpc, ...slow });
    opened.push(view);
    await until('the pool', () => view.pool.provider !== undefined && view.coins.at !== undefined);
    const children: string[] = [];
    for (const input of inputs) {
      const parent = await pay(node, { inputs: [input], outputs: [{ to: own.lane, satoshis: 500_000n }] });
      const made = [{ txid: parent.txid, vout: 0 }];
      const to = await node.address();
      children.push((await pay(node, { inputs: made, outputs: [{ to, satoshis: 400_000n }] })).txid);
    }
    view.pool.poke();
    await until('the children', () => children.every((txid) => view.pool.entries.has(txid)), 5_000);
    expect(
      view.coins
        .of(own.lane)
        .map(({ spentInPool }) => spentInPool)
        .sort(),
    ).toEqual([...children].sort());
  });

  it.skipIf(lacks('litecoin'))('is as good by polling (litecoin)', async () => {
    const node = await startNode('litecoin');
    opened.push(node);
    const coins = await split(node, 6, 1_000_000n);
    const { view, watch, deposit } = await started(node);
    const made: string[] = [];
    for (const coin of coins) made.push(await deposit(coin));
    await until('the sightings', () => made.every((txid) => watch.state(txid) === 'mempool'));
    await node.mine();
    await until('their block', () => made.every((txid) => watch.state(txid) === 'included'));
    await until('an empty pool', () => view.pool.entries.size === 0);
  });
});
