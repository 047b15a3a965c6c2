import type { Hex } from '@causeway/core';
import { pad, toHex } from 'viem';
import { expect, it } from 'vitest';
import { EXECUTION_TOPIC, observeExecutions } from '../src/payer-swaps/execution-logs.js';
import type { RpcLog } from '../src/rpc/types.js';

const word = (n: number): Hex => pad(toHex(n), { size: 32 });
const BLOCK = { height: 7, id: word(7), timestamp: 7_000 };

function reported(order: number, index: number): RpcLog {
  const data: Hex = `0x${Array.from({ length: 8 }, (_, n) => word(n + 1).slice(2)).join('')}`;
  const place = {
    blockNumber: toHex(BLOCK.height),
    blockHash: word(7),
    logIndex: toHex(index),
    transactionHash: word(9),
    transactionIndex: '0x0',
  };
  return { address: pad('0xee', { size: 20 }), topics: [EXECUTION_TOPIC, word(order)], data, ...place } as RpcLog;
}

const idsOf = (logs: readonly RpcLog[]) =>
  observeExecutions(1, logs, () => BLOCK, 0).map(({ id, orderId }) => [Number(orderId), id] as const);

it('names an execution by its order, whatever else its transaction executes in the block that has it', () => {
  const first = idsOf([reported(1, 3), reported(2, 4), reported(2, 5)]);
  expect(new Set(first.map(([, id]) => id)).size).toBe(3);
  // Ids do not depend on a failed predecessor.
  expect(idsOf([reported(2, 3), reported(2, 4)])).toEqual(first.slice(1));
});
