import { randomBytes } from 'node:crypto';
import { HttpClient } from '@causeway/core/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paidAlone } from '../src/paid-alone.js';
import { ViewMoved } from '../src/rpc/node.js';
import { build, split, type WantedOutput } from './support/control.js';
import { lacks, type NodeKind } from './support/have-node.js';
import { type LocalNode, startNode } from './support/node.js';

describe.each(['bitcoin', 'litecoin'] as const)('who paid a deposit (%s)', (kind: NodeKind) => {
  describe.skipIf(lacks(kind))('on a real node', () => {
    let node: LocalNode;
    let rpc: HttpClient;
    let depository: string;

    beforeAll(async () => {
      node = await startNode(kind);
      rpc = new HttpClient({ url: node.url, label: 'node', timeoutMs: 5_000, maxInFlight: 4, maxBatch: 20 });
      depository = await node.address();
    });
    afterAll(() => node?.stop());

    interface Spent {
      readonly txid: string;
      readonly vout: number;
    }

    async function paidBy(inputs: readonly Spent[], ...memo: readonly WantedOutput[]): Promise<string> {
      const outputs = [{ to: depository, satoshis: 300_000n }, ...memo];
      const { hex, txid } = await build(node, { inputs, outputs });
      await node.mineOnly([hex]);
      return txid;
    }

    async function coinOf(address: string): Promise<Spent> {
      const coin = await node.fund(address, 1_000_000n);
      await node.mine();
      await node.rpc('lockunspent', [false, [coin]]);
      return coin;
    }

    const isAlone = (transactionHash: string, depositor: string) =>
      paidAlone({ rpc }, node.network, { transactionHash, depositor });

    const types =
      kind === 'bitcoin' ? (['legacy', 'p2sh-segwit', 'bech32', 'bech32m'] as const) : (['legacy'] as const);
    it.each(types)('is proven where all that was spent was of one address (%s)', async (type) => {
      const [own, other] = [await node.address(type), await node.address(type)];
      const txid = await paidBy([await coinOf(own), await coinOf(own)]);
      expect(await isAlone(txid, own)).toBe(true);
      expect(await isAlone(txid, other)).toBe(false);
      expect(await isAlone(txid, '')).toBe(false);
    });

    it('is not proven where others spent something, too, no matter who was first', async () => {
      const [one, two] = [await node.address(), await node.address()];
      const txid = await paidBy([await coinOf(one), await coinOf(one), await coinOf(two)]);
      expect(await isAlone(txid, one)).toBe(false);
      expect(await isAlone(txid, two)).toBe(false);
    });

    it('is not proven by a memo', async () => {
      const [own, named] = [await node.address(), await node.address()];
      const txid = await paidBy([await coinOf(own)], { data: `0x${'a'.repeat(64)}|depositor=${named}|` });
      expect(await isAlone(txid, named)).toBe(false);
      expect(await isAlone(txid, own)).toBe(true);
    });

    it('is proven of many outputs, whose parents are many', async () => {
      const own = await node.address();
      const coins: Spent[] = [];
      for (let n = 0; n < 12; n += 1) coins.push(await coinOf(own));
      const [stranger] = await split(node, 1, 1_000_000n);
      expect(await isAlone(await paidBy(coins.slice(0, 11)), own)).toBe(true);
      expect(await isAlone(await paidBy([...coins.slice(11), stranger as Spent]), own)).toBe(false);
    });

    it('is not known of what the node has in no block', async () => {
      const own = await node.address();
      const { txid } = await build(node, {
        inputs: [await coinOf(own)],
        outputs: [{ to: depository, satoshis: 9_000n }],
      });
      await expect(isAlone(txid, own)).rejects.toThrow(ViewMoved);
      await expect(isAlone(randomBytes(32).toString('hex'), own)).rejects.toThrow(ViewMoved);
    });
  });
});
