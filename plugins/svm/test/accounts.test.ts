import { type HttpClient, RpcError, TransportError } from '@causeway/core/rpc';
import { expect, it } from 'vitest';
import { fetchAccounts, fetchAccountsAt } from '../src/accounts.js';
import { BEHIND } from '../src/listing/page.js';

const NO_DATA = { offset: 0, length: 0 };
const REFUSAL = new RpcError('getMultipleAccounts is limited to 5 accounts on this plan', -32602, undefined);

/** Answers for few accounts per call; account `n` holds n lamports, and each answer is of one slot later. */
function provider(most: number, refusal: Error = REFUSAL) {
  const sizes: number[] = [];
  const request = async (_: string, [some]: readonly [readonly string[]]) => {
    sizes.push(some.length);
    if (some.length > most) throw refusal;
    const value = some.map((name) =>
      name === 'none' ? null : { lamports: Number(name), owner: 'a', executable: false, data: ['', 'base64'] },
    );
    return { context: { slot: sizes.length }, value };
  };
  return { sizes, rpc: { request } as unknown as HttpClient };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);
const held = (count: number) => names(count).map((name) => BigInt(name));

it('reads all accounts, in order, from a provider that allows few per call', async () => {
  const { rpc, sizes } = provider(5);
  const found = await fetchAccounts(rpc, names(8), NO_DATA);
  expect(found.map((one) => one?.lamports)).toEqual(held(8));
  // What it refuses is remembered.
  sizes.length = 0;
  await fetchAccounts(rpc, names(8), NO_DATA);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
});

it('reads accounts at a slot, each with the slot of its own answer', async () => {
  const { rpc } = provider(5);
  const { accounts, slots } = await fetchAccountsAt(rpc, names(8), 0, NO_DATA);
  expect(accounts.map((one) => one?.lamports)).toEqual(held(8));
  expect(slots).toHaveLength(8);
  expect(slots[0]).toBe(2);
  expect(slots[7]).toBeGreaterThan(2);
});

it('asks for a hundred accounts per call where that is allowed', async () => {
  const { rpc, sizes } = provider(100);
  expect(await fetchAccounts(rpc, names(250), NO_DATA)).toHaveLength(250);
  expect(sizes).toEqual([100, 100, 50]);
  expect(await fetchAccounts(rpc, ['none'], NO_DATA)).toEqual([undefined]);
  expect(await fetchAccounts(rpc, [], NO_DATA)).toEqual([]);
});

it('a refusal of a single account is an error', async () => {
  const { rpc, sizes } = provider(0);
  await expect(fetchAccounts(rpc, names(40), NO_DATA)).rejects.toBe(REFUSAL);
  expect(sizes).toEqual([40, 10, 2, 1]);
});

it.each([new RpcError('not reached', BEHIND, undefined), new TransportError('no answer', 'timeout')])(
  'does not ask smaller where that helps nothing: %s',
  async (refusal) => {
    const { rpc, sizes } = provider(0, refusal);
    await expect(fetchAccountsAt(rpc, names(40), 9, NO_DATA)).rejects.toBe(refusal);
    expect(sizes).toEqual([40]);
  },
);

it('refuses an answer that lacks an account: later ones would be treated as others', async () => {
  const rpc = { request: async () => ({ context: { slot: 1 }, value: [null] }) } as unknown as HttpClient;
  await expect(fetchAccounts(rpc, names(2), NO_DATA)).rejects.toThrow('2 accounts were asked for, 1 came back');
});
