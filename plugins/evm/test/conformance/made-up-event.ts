import type { Hex } from '@causeway/core';
import { encodeAbiParameters, toEventSelector } from 'viem';
import { depositoryAbi } from '../../src/abi.js';

export function madeUpEvent(depositor: Hex, amount: bigint, orderId: Hex): Hex {
  const words = [{ type: 'address' }, { type: 'uint256' }, { type: 'bytes32' }] as const;
  const data = encodeAbiParameters(words, [depositor, amount, orderId]).slice(2);
  const topic = toEventSelector(depositoryAbi[5]).slice(2);
  const code = (at: number): string =>
    `6060${`60${at.toString(16).padStart(2, '0')}`}600039${`7f${topic}`}60606000a100`;
  return `0x${code(code(0).length / 2)}${data}`;
}
