import type { Hex } from '@causeway/core';
import { type Address, encodeFunctionData } from 'viem';
import { depositoryAbi } from '../../src/abi.js';

export interface BundledCall {
  readonly to: Address;
  readonly value: bigint;
  readonly data: Hex;
  /** It reverts at or below this height. */
  readonly above?: number;
}

export interface BundledDeposit {
  readonly amount: bigint;
  readonly orderId: Hex;
  /** The deposit reverts at or below this height. */
  readonly above?: number;
}

const OP = {
  stop: '00',
  gt: '11',
  iszero: '15',
  codecopy: '39',
  number: '43',
  jumpi: '57',
  gas: '5a',
  jumpdest: '5b',
  call: 'f1',
} as const;

function push(value: bigint | number, bytes: number): string {
  return `${(0x60 + bytes - 1).toString(16)}${value.toString(16).padStart(bytes * 2, '0')}`;
}

/**
 * Init code that makes native deposits for `depositor`, in order, and leaves no contract: several deposit events in
 * one transaction without a helper contract.
 */
export function depositBundle(depository: Address, depositor: Address, deposits: readonly BundledDeposit[]): Hex {
  return callBundle(
    deposits.map(({ amount: value, orderId, above }) => ({
      to: depository,
      value,
      data: encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args: [depositor, orderId] }),
      ...(above === undefined ? {} : { above }),
    })),
  );
}

/** Init code that makes calls, in order and all or nothing, and leaves no contract. */
export function callBundle(made: readonly BundledCall[]): Hex {
  const calls = made.map(({ data }) => data.slice(2));
  // Data offsets depend on the code's length, which does not depend on them: assemble twice.
  const assemble = (dataAt: number): string => {
    let code = '';
    let at = dataAt;
    for (const [n, { to, value, above }] of made.entries()) {
      const length = (calls[n]?.length ?? 0) / 2;
      const call = `${push(length, 2)}${push(at, 2)}${push(0, 1)}${OP.codecopy}${push(0, 1)}${push(0, 1)}${push(length, 2)}${push(0, 1)}${push(value, 32)}${push(BigInt(to), 20)}${OP.gas}${OP.call}`;
      // A failed call jumps to an invalid target and so reverts everything.
      const checked = `${call}${OP.iszero}${push(0, 2)}${OP.jumpi}`;
      if (above === undefined) code += checked;
      else {
        const guard = 33 + 1 + 1 + 1 + 3 + 1;
        const target = code.length / 2 + guard + checked.length / 2;
        code += `${push(above, 32)}${OP.number}${OP.gt}${OP.iszero}${push(target, 2)}${OP.jumpi}${checked}${OP.jumpdest}`;
      }
      at += length;
    }
    return `${code}${OP.stop}`;
  };
  const length = assemble(0).length / 2;
  return `0x${assemble(length)}${calls.join('')}`;
}
