import { first, jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChainView } from '../src/chain-view.js';
import { ServiceCoins } from '../src/coins/service-coins.js';
import { outpointName } from '../src/funding-key.js';
import type { BlockInterest, ScannedBlock } from '../src/raw/block.js';
import { Blocks } from '../src/watch/blocks.js';
import { doubleSpend, pay, reorg, split } from './support/control.js';
import { lacks, type NodeKind } from './support/have-node.js';
import { type LocalNode, startNode, until, withCredentials } from './support/node.js';
import { services } from './support/services.js';
import { CHAIN, type Own, startView } from './support/view.js';

async function truth(node: LocalNode, address: string): Promise<readonly string[]> {
  const { unspents } = await node.rpc<{ unspents: { txid: string; vout: number; amount: number }[] }>('scantxoutset', [
    'start',
    [`addr(${address})`],
  ]);
  return unspents.map(({ txid, vout, amount }) => `${txid}:${vout} ${Math.round(amount * 1e8)}`).sort();
}

describe.each(['bitcoin', 'litecoin'] as const)('own outputs on %s', (kind: NodeKind) => {
  describe.skipIf(lacks(kind))('a real node', () => {
    let node: LocalNode;
    let own: Own;
    const opened: { stop(): Promise<void> }[] = [];

    beforeAll(async () => {
      node = await startNode(kind, { blocks: 30 });
    });
    afterAll(() => node?.stop());
    afterEach(async () => {
      for (const one of opened.splice(0).reverse()) await one.stop();
    });

    async function fresh(): Promise<ChainView> {
      own = { depository: await node.address(), lane: await node.address() };
      return process();
    }

    async function process(): Promise<ChainView> {
      const { view } = await startView(node, own);
      opened.push(view);
      await ready(view);
      return view;
    }

    async function ready(view: ChainView): Promise<void> {
      await until('the first reading', () => view.coins.at !== undefined && view.pool.provider !== undefined);
      await atHead(view);
    }

    async function atHead(view: ChainView): Promise<void> {
      const id = await node.rpc<string>('getbestblockhash');
      await until('the head', () => view.coins.at?.id === id);
    }

    const confirmed = (view: ChainView, address: string): readonly string[] =>
      view.coins
        .of(address)
        .filter(({ height }) => height !== null)
        .map((coin) => `${outpointName(coin)} ${coin.value}`)
        .sort();

    async function expectTruth(view: ChainView): Promise<void> {
      await atHead(view);
      for (const address of [own.lane, own.depository]) {
        const reported = await truth(node, address);
        expect(confirmed(view, address)).toEqual(reported);
        const sum = reported.reduce((total, line) => total + BigInt(line.split(' ')[1] ?? 0), 0n);
        expect(await view.balance(address)).toBe(sum);
      }
      expect(await view.coins.check()).toBe('same');
    }

    it('knows what a fresh process finds, also what waits and what spends it', async () => {
      own = { depository: await node.address(), lane: await node.address() };
      const one = await node.fund(own.lane, 500_000n);
      const two = await node.fund(own.lane, 600_000n);
      await node.mine();
      const spending = await pay(node, { inputs: [one], outputs: [{ to: own.lane, satoshis: 100_000n }] });
      const view = await process();
      await until('what waits', () => view.coins.spender(one) !== undefined);
      expect(view.coins.get(one)?.spentInPool).toBe(spending.txid);
      expect(view.coins.get(two)).toMatchObject({ value: 600_000n, spentInPool: null, own: { role: 'lane' } });
      expect(view.coins.get({ txid: spending.txid, vout: 0 })).toMatchObject({ value: 100_000n, height: null });
      expect(view.coins.of(own.lane).map(({ height }) => height === null)).toEqual([false, false, true]);
      await node.mine();
      await expectTruth(view);
      const height = await node.height();
      expect(view.coins.spender(one)).toEqual({
        txid: spending.txid,
        block: { height, id: await node.rpc('getblockhash', [height]) },
      });
      expect(view.coins.get(one)).toBeUndefined();
    });

    it('follows whatever blocks and reorgs do, and stays exact', async () => {
      const view = await fresh();
      const purse = [...(await split(node, 24, 400_000n))];
      let seed = 7;
      const draw = (most: number): number => {
        seed = (seed * 48_271) % 2_147_483_647;
        return seed % most;
      };
      const mine: { txid: string; vout: number }[] = [];
      for (let round = 0; round < 24; round += 1) {
        const what = draw(6);
        const coin = purse[purse.length - 1];
        if (what <= 1 && coin !== undefined) {
          purse.pop();
          const to = what === 0 ? own.lane : own.depository;
          const { txid } = await pay(node, { inputs: [coin], outputs: [{ to, satoshis: 200_000n }] });
          mine.push({ txid, vout: 0 });
        } else if (what === 2 && mine.length > 0) {
          const [input] = mine.splice(draw(mine.length), 1);
          const waits = input !== undefined && (await node.rpc('gettxout', [input.txid, input.vout, true])) !== null;
          if (waits) await pay(node, { inputs: [input], outputs: [{ to: own.lane, satoshis: 50_000n }] });
        } else if (what === 3) await reorg(node, 1 + draw(3), { keep: draw(2) === 0 ? 'waiting' : 'included' });
        else await node.mine(1 + draw(2));
        if (round % 6 === 5) await expectTruth(view);
      }
      await expectTruth(view);
      // A process without that history reaches the same state.
      const another = await process();
      await expectTruth(another);
      for (const address of [own.lane, own.depository])
        expect(confirmed(another, address)).toEqual(confirmed(view, address));
    });

    it('follows outputs that are made and spent in one block', async () => {
      const view = await fresh();
      const [coin] = await split(node, 1, 900_000n);
      if (coin === undefined) throw new Error('not split');
      let input: { txid: string; vout: number } = coin;
      const chain: string[] = [];
      for (let n = 0; n < 4; n += 1) {
        // The last one has no own outputs, only own inputs.
        const to = n === 3 ? await node.address() : n === 2 ? own.depository : own.lane;
        const outputs = [{ to, satoshis: BigInt(800_000 - n * 100_000) }];
        const { txid } = await pay(node, { inputs: [input], outputs });
        chain.push(txid);
        input = { txid, vout: 0 };
      }
      await node.mine();
      await expectTruth(view);
      expect(view.coins.spender({ txid: chain[0] ?? '', vout: 0 })?.txid).toBe(chain[1]);
      await reorg(node, 1);
      await expectTruth(view);
    });

    it('forgets what waited when a rival takes its place', async () => {
      const view = await fresh();
      const [coin] = await split(node, 1, 900_000n);
      if (coin === undefined) throw new Error('not split');
      const { txid } = await pay(node, { inputs: [coin], outputs: [{ to: own.lane, satoshis: 300_000n }] });
      await until('what waits', () => view.coins.get({ txid, vout: 0 }) !== undefined);
      await doubleSpend(node, txid);
      await until('it to be gone', () => view.coins.get({ txid, vout: 0 }) === undefined);
      await node.mine();
      await expectTruth(view);
    });

    it('reads everything again after a reorg that is too deep to follow', async () => {
      own = { depository: await node.address(), lane: await node.address() };
      const { view, reported } = await startView(node, own);
      opened.push(view);
      await ready(view);
      await node.mine(60);
      await node.fund(own.lane, 700_000n);
      await node.mine();
      await expectTruth(view);
      await reorg(node, 61, { keep: 'waiting' });
      await expectTruth(view);
      expect(reported.lines.some(({ message }) => message.includes('too deep'))).toBe(true);
      await node.mine();
      await expectTruth(view);
    }, 60_000);

    it('is informed of a difference by a scan, and is exact again', async () => {
      const view = await fresh();
      const reported = services();
      const lying = new LyingBlocks();
      const coins = new ServiceCoins({
        ...{ chainId: 1, scripts: view.scripts, addresses: view.addresses, providers: view.providers, feed: view.feed },
        ...{ pool: view.pool, blocks: lying, patient: (provider) => provider, most: 50, checkMs: 0, ...reported },
      });
      coins.start();
      opened.push(coins);
      await until('the first reading', () => coins.at !== undefined);
      await node.fund(own.lane, 700_000n);
      const [id] = await node.mine();
      await until('the block', () => coins.at?.id === id);
      expect(coins.balance(own.lane)).toBe(0n);
      expect(await coins.check()).toBe('different');
      expect(reported.alerts.list().map((alert) => alert.id)).toEqual(['coins-differ-1']);
      expect(coins.problem()).not.toBeNull();
      // Without a new block.
      await until('another reading', () => coins.balance(own.lane) === 700_000n);
      expect(coins.problem()).toBeNull();
      expect(await coins.check()).toBe('same');
    });

    it('waits while the node is at another search', async () => {
      own = { depository: await node.address(), lane: await node.address() };
      const proxy = await jsonRpcFaultProxy(node.url);
      opened.push({ stop: () => proxy.close() });
      const message = 'Scan already in progress, use action "abort" or "status"';
      proxy.plan = only('scantxoutset', first(3, { error: { code: -8, message } }));
      const { view, reported } = await startView(node, own, {
        rpc: [{ http: withCredentials(proxy.url), zmq: 'off' }],
      });
      opened.push(view);
      await ready(view);
      expect(proxy.calls.filter(({ method }) => method === 'scantxoutset').length).toBe(4);
      expect(reported.alerts.list()).toEqual([]);
    });

    it('asks the next provider for what the first one does not offer, and says so while no one does', async () => {
      own = { depository: await node.address(), lane: await node.address() };
      await node.fund(own.lane, 700_000n);
      await node.mine();
      const without = await jsonRpcFaultProxy(node.url);
      without.plan = only('scantxoutset', { error: { code: -32601, message: 'Method not found' } });
      opened.push({ stop: () => without.close() });
      const url = withCredentials(without.url);
      const alone = await startView(node, own, { rpc: [{ http: url, zmq: 'off' }] });
      opened.push(alone.view);
      await until('the alert', () => alone.reported.alerts.list().length > 0);
      expect(alone.reported.alerts.list().map(({ id }) => id)).toEqual([`coins-${CHAIN}`]);
      expect(alone.view.problem()).toContain('own outputs cannot be read');
      const { view, reported } = await startView(node, own, { rpc: [{ http: url, zmq: 'off' }, { http: node.url }] });
      opened.push(view);
      await ready(view);
      expect(view.problem()).toBeNull();
      expect(reported.alerts.list()).toEqual([]);
      await expectTruth(view);
    });
  });
});

/** Omits the contents of the first block. */
class LyingBlocks extends Blocks {
  #lied = false;

  override async scan(node: Parameters<Blocks['scan']>[0], id: string, interest: BlockInterest): Promise<ScannedBlock> {
    const block = await super.scan(node, id, interest);
    if (this.#lied || block.found.length === 0) return block;
    this.#lied = true;
    return { ...block, found: [] };
  }
}
