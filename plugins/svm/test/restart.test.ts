import { expect, it } from 'vitest';
import { answer, asked, type FakeNode, type FakeTransaction } from './support/fake-ledger.js';
import { addressOf, fakeTransaction, signatureOf } from './support/fake-transactions.js';
import { apply, fakeWatch, VAULT } from './support/fake-watch.js';

// A starting process must repeat the ledger's deposits that are not final; others are dropped.

const START = 200_000;
const OTHERS = 1_800;

it('abandons no deposit of the process before it, however much there is to be read again first', async () => {
  const landed = new Map<string, FakeTransaction>();
  const node: FakeNode = { head: START, oldest: START - 100_000, landed };
  const { rpc } = asked((method, params) => answer(node, method, params));
  const before = fakeWatch(node, rpc);
  await before.poll();
  for (let n = 0; n < OTHERS; n += 1) {
    landed.set(...fakeTransaction({ name: `touch ${n}`, slot: START + 1 + Math.floor(n / 100), touches: [VAULT] }));
  }
  const paid = { lamports: 5_000n, payer: addressOf('honest'), touches: [VAULT] };
  landed.set(...fakeTransaction({ name: 'honest', slot: START + 19, ...paid }));
  node.head = START + 22;
  await before.poll();
  const { state } = before;
  await before.end();
  const statesOf = ({ seen }: typeof state) => [...seen.values()].map((one) => `${one.transactionHash} ${one.state}`);
  expect(statesOf(state)).toEqual([`${signatureOf('honest')} included`]);

  const after = fakeWatch(node, rpc, state);
  await after.poll();
  let applied = state;
  for (const batch of after.batches) {
    applied = apply(applied, batch);
    expect(statesOf(applied)).toEqual([`${signatureOf('honest')} included`]);
    expect(batch.finalized.height).toBeLessThan(START);
  }
  expect(after.batches.length).toBeGreaterThan(2);
  expect(after.batches.filter(({ rewoundTo }) => rewoundTo !== undefined)).toHaveLength(1);
  expect(after.batches.at(-1)).not.toHaveProperty('readTo');
  node.head = START + 100;
  await after.poll();
  expect(statesOf(after.state)).toEqual([`${signatureOf('honest')} final`]);
  await after.end();
});
