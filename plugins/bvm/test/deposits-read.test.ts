import { createHash } from 'node:crypto';
import type { Hex } from '@causeway/core';
import { Transaction } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressScript, NATIVE } from '../src/addresses.js';
import type { ChainView } from '../src/chain-view.js';
import { build, pay, payOften, split } from './support/control.js';
import { lacks, type NodeKind } from './support/have-node.js';
import { type LocalNode, startNode, until } from './support/node.js';
import { CHAIN, Following, startView } from './support/view.js';

const order = (n: number): Hex => `0x${n.toString(16).padStart(64, 'a')}`;

describe.each(['bitcoin', 'litecoin'] as const)('deposits of %s', (kind: NodeKind) => {
  describe.skipIf(lacks(kind))('on a real node', () => {
    let node: LocalNode;
    let view: ChainView;
    let depository: string;
    let lane: string;
    let watch: Following;

    beforeAll(async () => {
      node = await startNode(kind);
      [depository, lane] = [await node.address(), await node.address()];
      ({ view } = await startView(node, { depository, lane }));
      watch = new Following(view);
      await until('the first batch', () => watch.batches.length > 0);
    });
    afterAll(async () => {
      await watch?.stop();
      await view?.stop();
      await node?.stop();
    });

    async function observed(
      outputs: readonly ({ to: string; satoshis: bigint } | { data: string })[],
      type: 'legacy' | 'p2sh-segwit' | 'bech32' | 'bech32m' = 'bech32',
    ) {
      const [coin] = await split(node, 1, 2_000_000n, type);
      if (coin === undefined) throw new Error('not split');
      const { txid } = await pay(node, { inputs: [coin], outputs });
      await until('the sighting', () => watch.state(txid) === 'mempool');
      const seen = (): readonly { amount: bigint; orderId: string | null; depositor: string; state: string }[] =>
        [...watch.known.values()].filter(({ transactionHash }) => transactionHash === txid);
      const before = seen().map((one) => ({ ...one, state: '', block: null }));
      await node.mine();
      await until('its block', () => watch.state(txid) === 'included');
      expect(seen().map((one) => ({ ...one, state: '', block: null }))).toEqual(before);
      return { txid, coin, seen: seen() };
    }

    it('reports what arrived, whose it is and the order it carries, before and in its block', async () => {
      const amount = 123_456n;
      const { txid, coin, seen } = await observed([{ to: depository, satoshis: amount }, { data: order(1) }]);
      const height = await node.height();
      const id = await node.rpc<string>('getblockhash', [height]);
      const { time } = await node.rpc<{ time: number }>('getblockheader', [id]);
      expect(seen).toEqual([
        {
          ...{ fundingKey: `${CHAIN}:${txid}:0`, chainId: CHAIN, transactionHash: txid, currency: NATIVE, amount },
          ...{ depositor: coin.address, orderId: order(1), depositAddress: null, state: 'included' },
          block: { height, id, timestamp: time * 1000 },
        },
      ]);
    });

    const types = kind === 'bitcoin' ? (['legacy', 'p2sh-segwit', 'bech32m'] as const) : (['legacy'] as const);
    it.each(types)('names a payer by the address of the first input (%s)', async (type) => {
      const { coin, seen } = await observed([{ data: order(2) }, { to: depository, satoshis: 50_000n }], type);
      expect(seen.map(({ depositor, orderId }) => [depositor, orderId])).toEqual([[coin.address, order(2)]]);
    });

    it('believes what the memo says of its depositor, if it is an address here', async () => {
      const other = await node.address();
      const paid = { to: depository, satoshis: 50_000n };
      // Not relayed at this length, but valid in a block.
      for (const [named, expected] of [
        [other, other],
        ['nobody', undefined],
        ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', undefined],
      ] as const) {
        const [coin] = await split(node, 1, 2_000_000n);
        if (coin === undefined) throw new Error('not split');
        const data = `${order(3)}|depositor=${named}|`;
        const { hex, txid } = await build(node, { inputs: [coin], outputs: [paid, { data }] });
        await node.mineOnly([hex]);
        await until('its block', () => watch.state(txid) === 'included');
        const [seen] = [...watch.known.values()].filter(({ transactionHash }) => transactionHash === txid);
        expect([seen?.orderId, seen?.depositor]).toEqual([order(3), expected ?? coin.address]);
      }
    });

    it.each([
      ['short', 30],
      ['of thousands of bytes', 4_000],
    ])('names a payer without an address by its script: %s', async (_, length) => {
      const [coin] = await split(node, 1, 2_000_000n);
      if (coin === undefined) throw new Error('not split');
      // Anyone-can-spend: dropped data, then a one.
      const data = Buffer.alloc(Math.min(length, 500), 7);
      const drop = Buffer.concat([
        Buffer.from([0x4d, data.length & 0xff, data.length >> 8]),
        data,
        Buffer.from([0x75]),
      ]);
      const script = Buffer.concat([
        ...Array.from({ length: Math.ceil(length / 500) }, () => drop),
        Buffer.from([0x51]),
      ]);
      const parent = new Transaction();
      parent.version = 2;
      parent.addInput(Buffer.from(coin.txid, 'hex').reverse(), coin.vout);
      parent.addOutput(script, 1_900_000n);
      const { hex } = await node.rpc<{ hex: string }>('signrawtransactionwithwallet', [parent.toHex()]);
      const spend = new Transaction();
      spend.version = 2;
      spend.addInput(Transaction.fromHex(hex).getHash(), 0);
      spend.addOutput(addressScript(depository, node.network), 50_000n);
      await node.mineOnly([hex, spend.toHex()]);
      await until('its block', () => watch.state(spend.getId()) === 'included');
      const [seen] = [...watch.known.values()].filter(({ transactionHash }) => transactionHash === spend.getId());
      const digest = createHash('sha256').update(script).digest('hex');
      expect(seen?.depositor).toBe(length < 60 ? `script:${script.toString('hex')}` : `script:sha256:${digest}`);
      expect(seen?.depositor.length).toBeLessThanOrEqual(128);
    });

    it.each([
      ['upper case', `0x${'AB'.repeat(32)}`, `0x${'ab'.repeat(32)}`],
      ['no order', 'hello', null],
      ['a digit too few', `0x${'a'.repeat(63)}`, null],
      ['a digit too many', `0x${'a'.repeat(65)}`, null],
      ['without 0x', 'a'.repeat(64), `0x${'a'.repeat(64)}`],
      ['a line end behind', `${order(4)}\n`, order(4)],
      ['something behind', `${order(4)}|x`, null],
    ])('reads an id as it is written: %s', async (_, data, expected) => {
      const { seen } = await observed([{ to: depository, satoshis: 50_000n }, { data }]);
      expect(seen.map(({ orderId }) => orderId)).toEqual([expected]);
    });

    it('sums payments of one transaction that name one order, and takes very many one by one', async () => {
      const outputs = [{ to: depository, satoshis: 50_000n }, { data: order(5) }, { to: lane, satoshis: 10_000n }];
      const { txid, seen } = await observed([...outputs, { to: await node.address(), satoshis: 9_000n }]);
      expect(seen.map(({ orderId }) => orderId)).toEqual([order(5)]);
      const twice = await observedOften([50_000n, 40_000n]);
      expect(twice.seen).toMatchObject([
        { orderId: order(6), amount: 90_000n, fundingKey: `${CHAIN}:${twice.txid}:0+1`, state: 'included' },
      ]);
      expect(twice.txid).not.toBe(txid);
      const often = await observedOften([9_000n, 8_000n, 7_000n, 6_000n, 5_000n]);
      expect(often.seen.map(({ orderId, amount }) => [orderId, amount])).toEqual(
        [9_000n, 8_000n, 7_000n, 6_000n, 5_000n].map((amount) => [order(6), amount]),
      );
    });

    async function observedOften(amounts: readonly bigint[]) {
      const txid = await payOften(node, depository, amounts, order(6));
      await until('the sighting', () => watch.state(txid) === 'mempool');
      await node.mine();
      await until('its block', () => watch.state(txid) === 'included');
      return { txid, seen: [...watch.known.values()].filter(({ transactionHash }) => transactionHash === txid) };
    }

    it('takes no movement of its own for a deposit', async () => {
      // The wallet holds both keys, like the solver.
      for (const from of [depository, lane]) {
        const { txid, vout } = await node.fund(from, 1_000_000n);
        await node.mine();
        const outputs = [{ to: depository, satoshis: 70_000n }, { data: order(7) }];
        const moved = await pay(node, { inputs: [{ txid, vout }], outputs });
        const [coin] = await split(node, 1, 2_000_000n);
        if (coin === undefined) throw new Error('not split');
        const marker = await pay(node, {
          inputs: [coin],
          outputs: [{ to: depository, satoshis: 60_000n }, { data: order(8) }],
        });
        await until('what was sent after it', () => watch.state(marker.txid) === 'mempool');
        expect(watch.state(moved.txid)).toBeUndefined();
        await node.mine();
        await until('its block', () => watch.state(marker.txid) === 'included');
        expect(watch.state(moved.txid)).toBeUndefined();
      }
    });

    it('takes no new money for a deposit', async () => {
      const [id] = await node.rpc<string[]>('generatetoaddress', [1, depository]);
      await until('the block', () => watch.isAt(id ?? ''));
      expect([...watch.known.values()].filter(({ block }) => block?.id === id)).toEqual([]);
    });
  });
});
