import type { HttpClient } from '@causeway/core/rpc';
import { expect, it } from 'vitest';
import { historyPage } from '../src/listing/page.js';
import { signatureOf } from './support/fake-transactions.js';

it('leaves out an entry without a signature, which no transaction has', async () => {
  const [one, two] = [signatureOf('one'), signatureOf('two')];
  const listed = [two, '1'.repeat(64), one].map((signature, n) => ({ signature, slot: 9 - n, err: null, memo: null }));
  const rpc = { request: async () => listed } as unknown as HttpClient;
  const { entries, next } = await historyPage(rpc, 'account', { before: undefined });
  expect(entries.map(({ signature }) => signature)).toEqual([two, one]);
  expect(next).toBeUndefined();
});
