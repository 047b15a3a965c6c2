import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeAddress } from '../src/addresses.js';
import { lacks } from './support/have-node.js';
import { DEPOSITED, manyTransactions } from './support/many.js';
import { startNode, until } from './support/node.js';
import { Following, startView } from './support/view.js';

const SCRIPTS = 100_000;

/** Benchmark: `test/bench/bvm-blocks.ts`. */
describe.skipIf(lacks('bitcoin'))('a block of two thousand transactions', () => {
  it('reports each deposit once and all of them, among a hundred thousand scripts, and again after a reorg', async () => {
    const node = await startNode('bitcoin', { blocks: 60 });
    try {
      const own = { depository: await node.address(), lane: await node.address() };
      const { hexes, deposits } = await manyTransactions(node, own.depository, { count: 2_000, deposits: 40 });
      const { view } = await startView(node, own);
      const watch = new Following(view);
      try {
        await until('the first batch', () => watch.batches.length > 0);
        for (let n = 0; n < SCRIPTS; n += 1) {
          const address = encodeAddress({ type: 'p2wpkh', payload: randomBytes(20) }, node.network);
          view.scripts.add({ role: 'depositAddress', address });
        }
        let id = '';
        for (let n = 0; n < 2; n += 1) {
          if (id !== '') await node.rpc('invalidateblock', [id]);
          id = await node.mineOnly(hexes);
          view.feed.poke();
          await until('the block', () => watch.isAt(id));
          expect(deposits.map((txid) => watch.state(txid))).toEqual(deposits.map(() => 'included'));
          expect(watch.reported()).toHaveLength(deposits.length);
        }
        await until('own outputs', () => view.coins.at?.id === id);
        expect(await view.balance(own.depository)).toBe(BigInt(deposits.length) * DEPOSITED);
      } finally {
        await watch.stop();
        await view.stop();
      }
    } finally {
      await node.stop();
    }
  }, 120_000);
});
