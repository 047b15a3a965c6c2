import type { Hex } from '@causeway/core';
import { Portions, type Provider, RpcError, TransportError } from '@causeway/core/rpc';
import { toFunctionSelector } from 'viem/utils';
import { depositAddressesAbi } from '../abi.js';
import { ABSENT } from '../logs/too-much.js';
import { ViewMoved } from '../logs/view-moved.js';
import { quantity } from '../rpc/types.js';
import { addressWord, uintWord } from '../words.js';

const ARRIVED = toFunctionSelector(depositAddressesAbi[2]);
const HELD = toFunctionSelector(depositAddressesAbi[4]);
const DIGITS = 64;
const UNREADABLE = 'f'.repeat(DIGITS);
/** The answer for an empty address, compared as text because most addresses are empty. */
const NONE = '0'.repeat(DIGITS);
/** Native coin costs some 6,000 gas each, a token behind a proxy about twice as much; nodes run 50 million. */
export const MAX_AT_ONCE = 1_000;

export interface Place {
  readonly height: number;
  readonly id: Hex;
}

/** Cumulative sums, smallest unit: by token, then by address, as given; undefined where a token returns no balance. */
export type Arrived = ReadonlyMap<string, readonly (bigint | undefined)[]>;

/** The queried block; by its number alone if its hash is not known. */
type Asking = Pick<Place, 'height'> & { readonly id: Hex | undefined };

interface Asked {
  readonly addresses: readonly string[];
  readonly tokens: readonly string[];
}

/** Balances per call that each provider answers, for readings that share them. */
export function portionsOfBalances(): Portions {
  return new Portions(MAX_AT_ONCE);
}

/**
 * Sums that ever arrived at deposit addresses up to a block, in as few calls as the provider answers. A refused call
 * is asked again smaller, down to one balance.
 *
 * @throws ViewMoved when the provider does not have the block; RpcError or TransportError, which for a refusal is that
 * of a single balance.
 */
export async function readArrived(
  provider: Provider,
  factory: Hex,
  asked: Asked,
  at: Asking,
  portions = portionsOfBalances(),
): Promise<Arrived> {
  const { addresses, tokens } = asked;
  const found = new Map(tokens.map((token) => [token, [] as (bigint | undefined)[]]));
  const count = addresses.length * tokens.length;
  // Balances in the order of addresses, and those of one address in the order of tokens.
  for (let from = 0; from < count; ) {
    const { part, words } = await portions
      .ask(
        provider.rpc,
        Math.min(MAX_AT_ONCE, count - from),
        async (most) => {
          const some = partOf(asked, from, most);
          return { part: some, words: await ask(provider, factory, some, at) };
        },
        ({ message }) => ABSENT.test(message),
      )
      .catch((error: unknown) => {
        if (!(error instanceof RpcError) || !ABSENT.test(error.message)) throw error;
        throw new ViewMoved(`block ${at.height} is not there: ${error.message}`);
      });
    for (const [t, token] of part.tokens.entries())
      for (let m = 0; m < part.addresses.length; m += 1) {
        const word = words[t * part.addresses.length + m];
        found.get(token)?.push(word === undefined ? undefined : word === NONE ? 0n : BigInt(`0x${word}`));
      }
    from += part.addresses.length * part.tokens.length;
  }
  return found;
}

/** Of whole addresses, or, where those are too many balances, of tokens of one. */
function partOf({ addresses, tokens }: Asked, from: number, most: number): Asked {
  const [address, token] = [Math.floor(from / tokens.length), from % tokens.length];
  if (token > 0 || most < tokens.length)
    return { addresses: addresses.slice(address, address + 1), tokens: tokens.slice(token, token + most) };
  return { addresses: addresses.slice(address, address + Math.floor(most / tokens.length)), tokens };
}

/** Splits the addresses by call. */
export function chunksOf(addresses: readonly string[], tokens: number): readonly (readonly string[])[] {
  const most = Math.max(1, Math.floor(MAX_AT_ONCE / Math.max(1, tokens)));
  const chunks: (readonly string[])[] = [];
  for (let from = 0; from < addresses.length; from += most) chunks.push(addresses.slice(from, from + most));
  return chunks;
}

/** By hash if that is known, as a number may mean a block of another fork. */
async function ask(
  { rpc }: Provider,
  factory: Hex,
  { addresses, tokens }: Asked,
  { id, height }: Asking,
): Promise<readonly (string | undefined)[]> {
  const head = [uintWord(2 * 32), uintWord((3 + addresses.length) * 32)];
  const first = [uintWord(addresses.length), ...addresses.map(addressWord)];
  const second = [uintWord(tokens.length), ...tokens.map(addressWord)];
  const data: Hex = `${ARRIVED}${[...head, ...first, ...second].join('')}`;
  const answer = await rpc.request<Hex>('eth_call', [
    { to: factory, data },
    id === undefined ? quantity(height) : { blockHash: id },
  ]);
  return wordsIn(answer, addresses.length * tokens.length);
}

/** Balances at the head, in order; 0 where a token returns none. @throws RpcError, TransportError */
export async function readHeld(
  provider: Provider,
  factory: Hex,
  addresses: readonly string[],
  token: string,
  portions = portionsOfBalances(),
): Promise<readonly bigint[]> {
  const chunks = await Promise.all(
    chunksOf(addresses, 1).map(async (some) => {
      const held: bigint[] = [];
      while (held.length < some.length)
        held.push(
          ...(await portions.ask(provider.rpc, some.length - held.length, (most) =>
            askHeld(provider, factory, some.slice(held.length, held.length + most), token),
          )),
        );
      return held;
    }),
  );
  return chunks.flat();
}

async function askHeld(
  { rpc }: Provider,
  factory: Hex,
  addresses: readonly string[],
  token: string,
): Promise<readonly bigint[]> {
  const words = [uintWord(2 * 32), addressWord(token), uintWord(addresses.length), ...addresses.map(addressWord)];
  const answer = await rpc.request<Hex>('eth_call', [{ to: factory, data: `${HELD}${words.join('')}` }, 'latest']);
  return wordsIn(answer, addresses.length).map((word) => (word === undefined ? 0n : BigInt(`0x${word}`)));
}

/** The words of a returned list of numbers. */
function wordsIn(answer: Hex, count: number): readonly (string | undefined)[] {
  if (answer.length !== 2 + (2 + count) * DIGITS)
    throw new TransportError('the contract of deposit addresses did not answer in full', 'malformed');
  return Array.from({ length: count }, (_, n) => {
    const word = answer.slice(2 + (2 + n) * DIGITS, 2 + (3 + n) * DIGITS);
    return word === UNREADABLE ? undefined : word;
  });
}
