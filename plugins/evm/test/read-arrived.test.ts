import type { Hex } from '@causeway/core';
import { type Provider, RpcError, TransportError } from '@causeway/core/rpc';
import { expect, it } from 'vitest';
import { readArrived, readHeld } from '../src/deposit-addresses/read-arrived.js';
import { ViewMoved } from '../src/logs/view-moved.js';

const FACTORY: Hex = `0x${'d'.repeat(40)}`;
const ADDRESSES = Array.from({ length: 1_000 }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`);
const TOKENS = ['a', 'b', 'c'].map((x) => `0x${x.repeat(40)}`);
const AT = { height: 1, id: undefined };
const word = (n: number | bigint) => n.toString(16).padStart(64, '0');

/** Words of a list argument; its offset is the word at `n`. */
function listAt(data: string, n: number): readonly string[] {
  const words = data.slice(10).match(/.{64}/g) ?? [];
  const at = Number(BigInt(`0x${words[n]}`)) / 32;
  return words.slice(at + 1, at + 1 + Number(BigInt(`0x${words[at]}`)));
}

/** Holds of each token the number of the address and the letter of the token; answers so many balances at most. */
function nodeOf(most: number, refusal: Error) {
  const asked: number[] = [];
  const request = async (_: string, [{ data }]: readonly [{ readonly data: string }]) => {
    // Either `(addresses, tokens)` or `(token, addresses)`, whose list comes second.
    const isHeld = BigInt(`0x${data.slice(10, 74)}`) === 64n && BigInt(`0x${data.slice(74, 138)}`) > 2n ** 64n;
    const addresses = listAt(data, 0);
    const tokens = isHeld ? [data.slice(74, 138)] : listAt(data, 1);
    const count = addresses.length * tokens.length;
    asked.push(count);
    if (count > most) throw refusal;
    const balances = tokens.flatMap((token) => addresses.map((one) => word(BigInt(`0x${one}`) + BigInt(`0x${token}`))));
    return `0x${word(32)}${word(count)}${balances.join('')}`;
  };
  return { provider: { rpc: { request } } as unknown as Provider, asked };
}

const sumOf = (address: string, token: string) => BigInt(address) + BigInt(token);
const REFUSALS = [
  ['an error of the node', new RpcError('out of gas', -32000, undefined)],
  ['HTTP status 413', new TransportError('node: HTTP status 413', 'http')],
  ['an answer that is too large', new TransportError('node: an answer of more than 1 bytes', 'tooLarge')],
] as const;

it.each(REFUSALS)('balances of deposit addresses are asked smaller after %s, down to one', async (_, refusal) => {
  for (const most of [100, 20, 1]) {
    const { provider } = nodeOf(most, refusal);
    const addresses = ADDRESSES.slice(0, most === 1 ? 4 : 1_000);
    const arrived = await readArrived(provider, FACTORY, { addresses, tokens: TOKENS }, AT);
    for (const token of TOKENS) expect(arrived.get(token)).toEqual(addresses.map((address) => sumOf(address, token)));
    const [token = ''] = TOKENS;
    expect(await readHeld(provider, FACTORY, addresses, token)).toEqual(
      addresses.map((address) => sumOf(address, token)),
    );
  }
});

it.each(REFUSALS)('%s for a single balance is the fault of the provider', async (_, refusal) => {
  const { provider, asked } = nodeOf(0, refusal);
  const asking = { addresses: ADDRESSES, tokens: TOKENS };
  await expect(readArrived(provider, FACTORY, asking, AT)).rejects.toBe(refusal);
  await expect(readHeld(provider, FACTORY, ADDRESSES, TOKENS[0] ?? '')).rejects.toBe(refusal);
  expect(asked.filter((count) => count === 1)).toHaveLength(2);
  expect(asked.length).toBeLessThan(20);
});

it('nothing smaller is asked of a block that the provider does not have', async () => {
  const { provider, asked } = nodeOf(0, new RpcError('header not found', -32000, undefined));
  const asking = { addresses: ADDRESSES, tokens: TOKENS };
  await expect(readArrived(provider, FACTORY, asking, AT)).rejects.toThrow(ViewMoved);
  expect(asked).toEqual([999]);
});
