import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { concatHex } from 'viem/utils';
import type { Spans } from '../logs/spans.js';

/** A question to a contract: a selector and one word of arguments, which the function need not have. */
export interface Read {
  readonly to: string;
  /** 36 bytes. */
  readonly data: Hex;
}

/** The first two words of an answer; the second is 0 where there was one. */
export type Words = readonly [bigint, bigint];

/** The answer stays below the 24,576 bytes that a chain takes as the code of a contract. */
export const MOST_READS = 200;
/** Calls that leave together where a node creates no contracts in a call. */
const SINGLES = 50;

/**
 * Creation code that makes the reads which follow it and returns their words, so that nothing has to be deployed. One word of
 * zeros comes first: no code may begin with 0xef. A read that fails, or that less than a word comes of, reverts all.
 */
const READER = concatHex([
  '0x60426060', //                         i = 66, the length of this code; out = 0x60
  '0x5b38821015603557', //                 4: while i < codesize
  '0x603882600039', //                       memory[0..56] = code[i..]: 20 bytes of address, 36 of calldata
  '0x6040816024601460005160601c5afa', //     staticcall(gas, address, 20, 36, out, 64)
  '0x601f3d111615603d57', //                 unless it went and returned more than 31 bytes: revert
  '0x6040019060380190600456', //             out += 64; i += 56
  '0x5b604090036040f3', //                 53: return memory[0x40..out]
  '0x5b600080fd', //                       61: revert
]);

/**
 * Reads contracts at one block, many with each call: fewer after a refusal, down to calls of their own, and more again after a
 * while.
 *
 * @param spans how many reads each provider was found to take at once.
 * @throws RpcError where a read fails by itself, TransportError
 */
export async function readMany(
  provider: Provider,
  reads: readonly Read[],
  blockHash: Hex,
  spans: Spans,
): Promise<readonly Words[]> {
  const found: Words[] = [];
  while (found.length < reads.length) {
    const most = spans.of(provider);
    const some = reads.slice(found.length, found.length + (most === 1 ? SINGLES : most));
    try {
      found.push(...(await (most === 1 ? oneByOne : together)(provider, some, blockHash)));
      spans.served(provider, most, 0);
    } catch (error) {
      if (most === 1 || !(error instanceof RpcError)) throw error;
      spans.refused(provider, Math.min(most, some.length));
    }
  }
  return found;
}

async function together({ rpc }: Provider, reads: readonly Read[], blockHash: Hex): Promise<readonly Words[]> {
  const data = concatHex([READER, ...reads.flatMap(({ to, data }) => [to as Hex, data])]);
  const answer = await rpc.request<Hex>('eth_call', [{ data }, { blockHash }]);
  if (answer.length !== 2 + (1 + 2 * reads.length) * 64)
    throw new RpcError('a call that reads many was not answered in full', -32000, undefined);
  return reads.map((_, n) => wordsAt(answer, 1 + 2 * n));
}

function oneByOne({ rpc }: Provider, reads: readonly Read[], blockHash: Hex): Promise<readonly Words[]> {
  const one = async ({ to, data }: Read): Promise<Words> => {
    const answer = await rpc.request<Hex>('eth_call', [{ to, data }, { blockHash }]);
    if (answer.length < 66) throw new RpcError(`${to} does not answer what its kind of pool does`, -32000, undefined);
    return wordsAt(answer.padEnd(2 + 2 * 64, '0'), 0);
  };
  return Promise.all(reads.map(one));
}

function wordsAt(answer: string, word: number): Words {
  const at = (n: number) => BigInt(`0x${answer.slice(2 + n * 64, 2 + (n + 1) * 64)}`);
  return [at(word), at(word + 1)];
}
