import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { concatHex } from 'viem/utils';
import type { Spans } from '../logs/spans.js';

/** A selector and one word of arguments, which the function may ignore. */
export interface Read {
  readonly to: string;
  readonly data: Hex;
}

/** The first two words of a response; a missing second one is 0. */
export type Words = readonly [bigint, bigint];

/** The response stays below the contract code size limit of 24,576 bytes. */
export const MAX_READS = 200;
const SINGLES = 50;

/**
 * Creation code that makes the reads appended to it and returns their words, so that nothing is deployed. A zero word
 * comes first, as code may not begin with 0xef. A failed read, or one of less than a word, reverts all.
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
 * Reads at one block. The batch size shrinks after a refusal, down to single calls, and grows again later.
 *
 * @param spans reads per call that each provider accepts.
 * @throws RpcError where a single read fails, TransportError
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
