import { HttpClient } from '@causeway/core/rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { describeTransaction } from '../src/describe.js';
import { pay, reorg, split } from './support/control.js';
import { lacks, type NodeKind } from './support/have-node.js';
import { type LocalNode, startNode } from './support/node.js';
import { CHAIN } from './support/view.js';

describe.each(['bitcoin', 'litecoin'] as const)('records of transactions on %s', (kind: NodeKind) => {
  describe.skipIf(lacks(kind))('a real node', () => {
    let node: LocalNode;

    beforeAll(async () => {
      node = await startNode(kind);
    });
    afterAll(() => node?.stop());

    const record = (hash: string) => {
      const rpc = new HttpClient({ url: node.url, label: 'node', timeoutMs: 5_000, maxInFlight: 4, maxBatch: 10 });
      return describeTransaction({ rpc }, CHAIN, node.network, hash);
    };

    it('report fee, block, time, parts and who gained and lost what', async () => {
      const [one, two] = await split(node, 2, 600_000n);
      if (one === undefined || two === undefined) throw new Error('not split');
      const to = await node.address();
      const outputs = [{ to, satoshis: 900_000n }, { data: 'hello' }];
      const { txid } = await pay(node, { inputs: [one, two], outputs });
      expect(await record(txid)).toBeUndefined();
      const [id] = await node.mine();
      const { height, time } = await node.rpc<{ height: number; time: number }>('getblockheader', [id]);
      const { details, fee } = await node.rpc<{ details: { address: string; amount: number }[]; fee: number }>(
        'gettransaction',
        [txid],
      );
      const paid = BigInt(Math.round(-fee * 1e8));
      expect(details.length).toBeGreaterThan(0);
      const entry = await record(txid.toUpperCase());
      const change = 1_200_000n - 900_000n - paid;
      const { stateChanges, data, ...rest } = entry ?? {};
      expect(rest).toEqual({
        ...{ txHash: txid, fee: paid.toString(), block: height, type: 'onchain', chainId: CHAIN },
        ...{ timestamp: time, status: 'success' },
      });
      expect(data).toMatchObject({
        ...{ from: one.address, inputCount: 2, outputCount: 3 },
        inputs: [one, two].map(({ txid: name, vout, address }) => ({ txid: name, vout, address, value: '600000' })),
        outputs: [
          { value: '900000', address: to },
          { value: '0', data: Buffer.from('hello').toString('hex') },
          { value: change.toString() },
        ],
      });
      const diffs = (stateChanges as { address: string; change: { balanceDiff: string; data: object } }[]).map(
        (entry_) => [entry_.address, entry_.change.balanceDiff],
      );
      expect(diffs).toEqual(
        expect.arrayContaining([
          [one.address, '-600000'],
          [two.address, '-600000'],
          [to, '900000'],
        ]),
      );
      const sum = diffs.reduce((total, [, diff]) => total + BigInt(diff ?? 0), 0n);
      expect(sum).toBe(-paid);
      expect(JSON.stringify(stateChanges)).toContain(NATIVE);
    });

    it('are of the chain as it is: a replaced block counts for nothing', async () => {
      const [coin] = await split(node, 1, 600_000n);
      if (coin === undefined) throw new Error('not split');
      const { txid } = await pay(node, { inputs: [coin], outputs: [{ to: await node.address(), satoshis: 500_000n }] });
      await node.mine();
      expect(await record(txid)).toBeDefined();
      await reorg(node, 1, { drop: [txid] });
      expect(await record(txid)).toBeUndefined();
    });

    it('know new money, and nothing of what was never sent', async () => {
      const [id] = await node.mine();
      const { tx } = await node.rpc<{ tx: string[] }>('getblock', [id]);
      const entry = await record(tx[0] ?? '');
      expect(entry).toMatchObject({ fee: '0', status: 'success', data: { from: null } });
      expect(await record('ab'.repeat(32))).toBeUndefined();
      expect(await record('nonsense')).toBeUndefined();
      expect(await record(`0x${'ab'.repeat(32)}`)).toBeUndefined();
    });
  });
});
