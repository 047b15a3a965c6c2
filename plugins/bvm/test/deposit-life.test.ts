import { rmSync } from 'node:fs';
import type { Hex } from '@causeway/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChainView } from '../src/chain-view.js';
import { doubleSpend, pay, reorg, rivalOf, split } from './support/control.js';
import { newFolder } from './support/folder.js';
import { lacks, type NodeKind } from './support/have-node.js';
import { type LocalNode, startNode, until } from './support/node.js';
import { Following, type Own, polled, type Saved, startView } from './support/view.js';

let orders = 0;
const nextOrder = (): Hex => {
  orders += 1;
  return `0x${orders.toString(16).padStart(64, 'b')}`;
};

/** With notifications where available, and polling only. */
const WAYS = [
  ['bitcoin', 'heard'],
  ['bitcoin', 'polled'],
  ['litecoin', 'polled'],
] as const;

describe.each(WAYS)('the life of a deposit: %s, %s', (kind: NodeKind, way) => {
  describe.skipIf(lacks(kind))('on a real node', () => {
    let node: LocalNode;
    let own: Own;
    const opened: { stop(): Promise<void> }[] = [];

    // A restart loses all unconfirmed transactions in node and wallet.
    let options: { readonly dataDir: string; readonly flags: readonly string[] };
    /** Confirmed wallet outputs, spent one by one. */
    let purse: { readonly txid: string; readonly vout: number }[];

    beforeAll(async () => {
      const dataDir = newFolder();
      options = { dataDir, flags: ['-persistmempool=0', '-walletbroadcast=0'] };
      node = await startNode(kind, options);
      own = { depository: await node.address(), lane: await node.address() };
      purse = [...(await split(node, 40, 1_000_000n))];
    });
    afterAll(async () => {
      await node?.stop();
      if (options !== undefined) rmSync(options.dataDir, { recursive: true, force: true });
    });
    afterEach(async () => {
      for (const one of opened.splice(0).reverse()) await one.stop();
    });

    async function process(from?: Saved): Promise<{ readonly view: ChainView; readonly watch: Following }> {
      const { view } = await startView(node, own, way === 'polled' ? { rpc: polled(node) } : {});
      opened.push(view);
      const watch = new Following(view, from);
      opened.push(watch);
      await until('the first batch', () => from !== undefined || watch.batches.length > 0);
      return { view, watch };
    }

    function coin() {
      const one = purse.pop();
      if (one === undefined) throw new Error('the purse is empty');
      return one;
    }

    async function deposit(orderId: Hex | undefined = nextOrder()) {
      const data = orderId === undefined ? [] : [{ data: orderId }];
      const outputs = [{ to: own.depository, satoshis: 300_000n }, ...data];
      const { txid, hex } = await pay(node, { inputs: [coin()], outputs });
      return { txid, hex, orderId, outputs };
    }

    async function caughtUp(watch: Following): Promise<void> {
      const id = await node.rpc<string>('getbestblockhash');
      await until(`block ${id}`, () => watch.isAt(id));
    }

    it('waits, is included, and is final when as many blocks followed', async () => {
      const { watch } = await process();
      const { txid } = await deposit();
      await until('the sighting', () => watch.state(txid) === 'mempool');
      await node.mine();
      await until('its block', () => watch.state(txid) === 'included');
      await node.mine(5);
      await caughtUp(watch);
      expect(watch.state(txid)).toBe('included');
      await node.mine();
      await until('finality', () => watch.state(txid) === 'final');
      const reported = watch.batches.flatMap(({ deposits }) => deposits).filter((one) => one.transactionHash === txid);
      expect(reported.map(({ state }) => state)).toEqual(['mempool', 'included']);
    });

    it('vanishes when a rival is in a block, not when one waits', async () => {
      const { watch } = await process();
      const { txid } = await deposit();
      await until('the sighting', () => watch.state(txid) === 'mempool');
      if (node.network.rbf) {
        const rival = await doubleSpend(node, txid);
        const after = await deposit();
        await until('what was sent after the rival', () => watch.state(after.txid) === 'mempool');
        expect(watch.state(txid)).toBe('mempool');
        expect(await node.pool()).toContain(rival.txid);
        await node.mine();
      } else await doubleSpend(node, txid, 'block');
      await until('the rival', () => watch.state(txid) === 'vanished');
      await caughtUp(watch);
      const reported = watch.batches.flatMap(({ deposits }) => deposits).filter((one) => one.transactionHash === txid);
      expect(reported.map(({ state }) => state)).toEqual(['mempool', 'vanished']);
    });

    it('is reported again, also by another process, where a reorg moves its rival to another block', async () => {
      const { watch } = await process();
      const { txid } = await deposit();
      await until('the sighting', () => watch.state(txid) === 'mempool');
      const rival = await doubleSpend(node, txid, 'block');
      await until('the rival', () => watch.state(txid) === 'vanished');
      await caughtUp(watch);
      const rivals = (all: Following) =>
        all.batches
          .flatMap(({ deposits }) => deposits)
          .flatMap((one) => (one.transactionHash === txid && one.rival ? [one.rival] : []));
      const [first] = rivals(watch);
      const height = await node.height();
      expect(first).toMatchObject({ hash: rival.txid, block: { height } });
      const saved = watch.saved.at(-1);
      const hashes = await reorg(node, 1);
      await until('the rival again', () => rivals(watch).length === 2);
      expect(rivals(watch)[1]).toMatchObject({ hash: rival.txid, block: { height: height + 1, id: hashes[1] } });
      const other = await process(saved);
      await until('the rival, by another process', () => rivals(other.watch).length === 1);
      expect(rivals(other.watch)[0]?.block.id).toBe(hashes[1]);
      await node.mine(7);
      await caughtUp(watch);
      expect(rivals(watch)).toHaveLength(2);
    });

    it('vanishes with a parent that can never land, and does not with one that lands', async () => {
      const { watch } = await process();
      const family = async () => {
        const to = await node.address();
        const parent = await pay(node, { inputs: [coin()], outputs: [{ to, satoshis: 800_000n }] });
        const data = nextOrder();
        const inputs = [{ txid: parent.txid, vout: 0 }];
        const child = await pay(node, { inputs, outputs: [{ to: own.depository, satoshis: 300_000n }, { data }] });
        await until('the sighting', () => watch.state(child.txid) === 'mempool');
        return { parent, child };
      };
      const [good, bad] = [await family(), await family()];
      const rival = await rivalOf(node, bad.parent.txid);
      await node.mineOnly([good.parent.hex, rival.hex]);
      await until('the rival', () => watch.state(bad.child.txid) === 'vanished');
      expect(watch.state(good.child.txid)).toBe('mempool');
      await node.mine();
      await until('its block', () => watch.state(good.child.txid) === 'included');
    });

    // Litecoin keeps the first of two conflicting transactions.
    if (kind === 'bitcoin')
      it('is reported in its block when it took the place of one for the same order', async () => {
        const { watch } = await process();
        const { txid, orderId, outputs } = await deposit();
        await until('the sighting', () => watch.state(txid) === 'mempool');
        const better = await rivalOf(node, txid, [...outputs, { to: await node.address(), satoshis: 600_000n }]);
        await node.rpc('sendrawtransaction', [better.hex]);
        const other = await rivalOf(node, (await deposit()).txid, [
          ...[{ to: own.depository, satoshis: 310_000n }, { data: nextOrder() }],
          { to: await node.address(), satoshis: 600_000n },
        ]);
        await node.rpc('sendrawtransaction', [other.hex]);
        await until('one that took the place of another order', () => watch.state(other.txid) === 'mempool');
        expect([watch.state(txid), watch.state(better.txid)]).toEqual(['mempool', undefined]);
        const before = watch.batches.length;
        await node.mine();
        await until('its block', () => watch.state(better.txid) === 'included');
        expect(watch.state(txid)).toBe('vanished');
        const batch = watch.batches.slice(before).find(({ deposits }) => deposits.length > 0);
        const states = batch?.deposits.filter((one) => [txid, better.txid].includes(one.transactionHash));
        expect(states?.map(({ state }) => state)).toEqual(['vanished', 'included']);
        expect(states?.[1]?.orderId).toBe(orderId);
      });

    it('stays although the node forgets it, lands later, or vanishes by a rival then', async () => {
      const { view, watch } = await process();
      const [forgotten, lost] = [await deposit(), await deposit()];
      const rival = await rivalOf(node, lost.txid);
      await until('the sightings', () =>
        [forgotten, lost].every(({ txid }) => watch.state(txid) === 'mempool' && view.pool.entries.has(txid)),
      );
      const { newest } = watch;
      await watch.stop();
      await view.stop();
      await node.stop();
      node = await startNode(kind, { ports: node, blocks: 0, ...options });
      expect(await node.pool()).toEqual([]);
      const later = await process(newest);
      await until('the pool', () => later.view.pool.provider !== undefined);
      await caughtUp(later.watch);
      expect([forgotten, lost].map(({ txid }) => later.watch.state(txid))).toEqual(['mempool', 'mempool']);
      await node.mineOnly([rival.hex]);
      await until('the rival', () => later.watch.state(lost.txid) === 'vanished');
      await node.mineOnly([forgotten.hex]);
      await until('its block', () => later.watch.state(forgotten.txid) === 'included');
    });

    it('is taken back by a reorg and comes back in another block', async () => {
      const { watch } = await process();
      const [kept, dropped] = [await deposit(), await deposit()];
      await node.mine();
      await until('their block', () => [kept, dropped].every(({ txid }) => watch.state(txid) === 'included'));
      const before = watch.known.get([...watch.known.keys()].find((key) => key.includes(kept.txid)) ?? '');
      const hashes = await reorg(node, 1, { drop: [dropped.txid] });
      await until('the new branch', () => watch.isAt(hashes.at(-1) ?? ''));
      expect([watch.state(kept.txid), watch.state(dropped.txid)]).toEqual(['included', 'vanished']);
      const after = watch.known.get(before?.fundingKey ?? '');
      expect(after?.block?.id).toBe(hashes.at(-1));
      expect(after).toEqual({ ...before, block: after?.block });
    });

    it('waits again after a reorg that leaves it out', async () => {
      const { watch } = await process();
      const { txid } = await deposit();
      await node.mine();
      await until('its block', () => watch.state(txid) === 'included');
      await reorg(node, 1, { keep: 'waiting' });
      await until('it to wait again', () => watch.state(txid) === 'mempool');
      const states = watch.batches.filter(({ rewoundTo }) => rewoundTo !== undefined);
      expect(states.length).toBeGreaterThan(0);
      await node.mine();
      await until('its block', () => watch.state(txid) === 'included');
    });

    it('is the same from every cursor, whatever happened since', async () => {
      const { watch, view } = await process();
      const made = [await deposit(), await deposit()];
      await node.mine();
      made.push(await deposit());
      await until('the sighting', () => watch.state(made[2]?.txid ?? '') === 'mempool');
      await reorg(node, 1);
      made.push(await deposit(undefined));
      await node.mine(3);
      await caughtUp(watch);
      await until('all of them', () => made.every(({ txid }) => watch.state(txid) === 'included'));
      const expected = watch.reported().filter((one) => made.some(({ txid }) => String(one).includes(txid)));
      expect(expected.length).toBe(4);
      const cursors = [...watch.saved];
      await watch.stop();
      await view.stop();
      const another = await process(cursors.at(-1));
      for (const saved of cursors) {
        const replay = new Following(another.view, saved);
        await caughtUp(replay);
        await replay.stop();
        const reported = replay.reported().filter((one) => made.some(({ txid }) => String(one).includes(txid)));
        expect(reported).toEqual(expected);
        for (const { txid } of made) expect(replay.state(txid)).toBe('included');
      }
    });
  });
});
