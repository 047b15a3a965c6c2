import { describe, expect, it } from 'vitest';
import { arrivedOf } from '../src/arrived.js';
import type { RpcLog, RpcReceipt } from '../src/rpc/types.js';
import { addressWord, uintWord } from '../src/words.js';

const TOKEN = '0x00000000000000000000000000000000000000aa';
const POT = '0x00000000000000000000000000000000000000d0';
const LANE = '0x00000000000000000000000000000000000000f1';
const TAXMAN = '0x00000000000000000000000000000000000000ee';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

function transfer(from: string, to: string, amount: bigint, more: Partial<RpcLog> = {}): RpcLog {
  const place = {
    blockNumber: '0x1',
    blockHash: '0x1',
    transactionHash: '0x1',
    transactionIndex: '0x0',
    logIndex: '0x0',
  } as const;
  const topics = [TRANSFER, `0x${addressWord(from)}`, `0x${addressWord(to)}`] as const;
  return { address: TOKEN, topics, data: `0x${uintWord(amount)}`, ...place, ...more };
}

function arrived(...logs: readonly RpcLog[]): bigint | undefined {
  const receipt = { logs } as unknown as RpcReceipt;
  return arrivedOf(receipt, { token: TOKEN, account: LANE, moved: 100n });
}

describe('what of a collection arrived at the lane, by what the token reports', () => {
  it.each<[string, readonly RpcLog[], bigint | undefined]>([
    ['all of it', [transfer(POT, LANE, 100n)], undefined],
    ['less', [transfer(POT, LANE, 97n), transfer(POT, TAXMAN, 3n)], 97n],
    ['all of it, and a part taken away again', [transfer(POT, LANE, 100n), transfer(LANE, TAXMAN, 3n)], 97n],
    ['a part taken away that was more than came', [transfer(POT, LANE, 1n), transfer(LANE, TAXMAN, 3n)], 0n],
    ['more than left the depository', [transfer(POT, LANE, 101n)], undefined],
    ['nothing', [], undefined],
    ['a transfer to another account', [transfer(POT, TAXMAN, 3n)], undefined],
    ['less, in the words of another contract', [transfer(POT, LANE, 1n, { address: TAXMAN })], undefined],
    ['a collectible', [transfer(POT, LANE, 1n, { topics: [TRANSFER, '0x1', '0x2', '0x3'] })], undefined],
    ['something that cannot be read', [transfer(POT, LANE, 1n, { data: '0x' })], undefined],
  ])('%s', (_, logs, expected) => {
    expect(arrived(...logs)).toBe(expected);
  });
});
