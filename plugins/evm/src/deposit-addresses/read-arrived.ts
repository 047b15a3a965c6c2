import type { Hex } from '@causeway/core';
import { type Provider, RpcError, TransportError } from '@causeway/core/rpc';
import { toFunctionSelector } from 'viem/utils';
import { depositAddressesAbi } from '../abi.js';
import { ABSENT } from '../logs/too-much.js';
import { ViewMoved } from '../logs/view-moved.js';
import { addressWord, uintWord } from '../words.js';

const ARRIVED = toFunctionSelector(depositAddressesAbi[2]);
const HELD = toFunctionSelector(depositAddressesAbi[4]);
const DIGITS = 64;
const UNREADABLE = 'f'.repeat(DIGITS);
/** Native coin costs some 6,000 gas each, a token behind a proxy about twice as much; nodes run 50 million. */
const MOST_AT_ONCE = 1_000;
const FEWEST = 25;

export interface Place {
  readonly height: number;
  readonly id: Hex;
}

/** By token, then by address, as given; undefined for a balance that a token did not tell. Smallest unit. */
export type Arrived = ReadonlyMap<string, readonly (bigint | undefined)[]>;

/**
 * What ever arrived at deposit addresses up to a block.
 *
 * @throws ViewMoved when the provider does not have the block, RpcError, TransportError
 */
export async function readArrived(
  provider: Provider,
  factory: Hex,
  { addresses, tokens }: { readonly addresses: readonly string[]; readonly tokens: readonly string[] },
  at: Place,
): Promise<Arrived> {
  const words = await readWords(provider, factory, addresses, tokens, at);
  return new Map(
    tokens.map((token, t) => {
      const own = addresses.map((_, n) => words[t * addresses.length + n]);
      return [token, own.map((word) => (word === undefined ? undefined : BigInt(`0x${word}`)))];
    }),
  );
}

/** Addresses for one call: token balances cost more than native coin. */
export function chunksOf(addresses: readonly string[], tokens: number): readonly (readonly string[])[] {
  const most = Math.max(FEWEST, Math.floor(MOST_AT_ONCE / Math.max(1, tokens)));
  const chunks: (readonly string[])[] = [];
  for (let from = 0; from < addresses.length; from += most) chunks.push(addresses.slice(from, from + most));
  return chunks;
}

/** In halves where a call is too much for the provider. */
async function readWords(
  provider: Provider,
  factory: Hex,
  addresses: readonly string[],
  tokens: readonly string[],
  at: Place,
): Promise<readonly (string | undefined)[]> {
  if (addresses.length === 0 || tokens.length === 0) return [];
  try {
    return await ask(provider, factory, addresses, tokens, at);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (ABSENT.test(error.message)) throw new ViewMoved(`block ${at.height} is not there: ${error.message}`);
    if (addresses.length <= FEWEST) throw error;
    const middle = Math.ceil(addresses.length / 2);
    const [first, second] = await Promise.all(
      [addresses.slice(0, middle), addresses.slice(middle)].map((some) =>
        readWords(provider, factory, some, tokens, at),
      ),
    );
    return tokens.flatMap((_, t) => [...part(first, t, middle), ...part(second, t, addresses.length - middle)]);
  }
}

function part(words: readonly (string | undefined)[] | undefined, t: number, size: number) {
  return (words ?? []).slice(t * size, (t + 1) * size);
}

async function ask(
  provider: Provider,
  factory: Hex,
  addresses: readonly string[],
  tokens: readonly string[],
  at: Place,
): Promise<readonly (string | undefined)[]> {
  const head = [uintWord(2 * 32), uintWord((3 + addresses.length) * 32)];
  const first = [uintWord(addresses.length), ...addresses.map(addressWord)];
  const second = [uintWord(tokens.length), ...tokens.map(addressWord)];
  const data: Hex = `${ARRIVED}${[...head, ...first, ...second].join('')}`;
  const answer = await callAt(provider, { to: factory, data }, at);
  return wordsIn(answer, addresses.length * tokens.length);
}

/** By hash, as a number may mean a block of another fork. */
function callAt({ rpc }: Provider, call: { readonly to: Hex; readonly data: Hex }, { id }: Place): Promise<Hex> {
  return rpc.request<Hex>('eth_call', [call, { blockHash: id }]);
}

/** Balances at the head, in order; 0 where a token does not tell. Rejects on infrastructure failure. */
export async function readHeld(
  provider: Provider,
  factory: Hex,
  addresses: readonly string[],
  token: string,
): Promise<readonly bigint[]> {
  const chunks = await Promise.all(
    chunksOf(addresses, 1).map(async (some) => {
      const words = [uintWord(2 * 32), addressWord(token), uintWord(some.length), ...some.map(addressWord)];
      const answer = await provider.rpc.request<Hex>('eth_call', [
        { to: factory, data: `${HELD}${words.join('')}` },
        'latest',
      ]);
      return wordsIn(answer, some.length);
    }),
  );
  return chunks.flat().map((word) => (word === undefined ? 0n : BigInt(`0x${word}`)));
}

/** Of a list of numbers. */
function wordsIn(answer: Hex, count: number): readonly (string | undefined)[] {
  if (answer.length !== 2 + (2 + count) * DIGITS)
    throw new TransportError('the contract of deposit addresses did not answer in full', 'malformed');
  return Array.from({ length: count }, (_, n) => {
    const word = answer.slice(2 + (2 + n) * DIGITS, 2 + (3 + n) * DIGITS);
    return word === UNREADABLE ? undefined : word;
  });
}
