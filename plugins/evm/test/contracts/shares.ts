import type { Address, Hex } from 'viem';
import { fillRouter } from '../../src/generated/contracts.js';
import { NATIVE } from './bench.js';

export interface Wish {
  readonly token: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly orderId: Hex;
  readonly deadline?: bigint;
  readonly gas?: bigint;
}

const FAR_DEADLINE = 10n ** 11n;

export function share({ token, to, amount, orderId, deadline = FAR_DEADLINE, gas = 100_000n }: Wish) {
  return { terms: (BigInt(token) << 96n) | (gas << 40n) | deadline, payment: (BigInt(to) << 96n) | amount, orderId };
}

export function many(router: Address, wishes: readonly Wish[], value?: bigint) {
  const sum = wishes.reduce((total, { token, amount }) => (token === NATIVE ? total + amount : total), 0n);
  const args = [wishes.map(share)];
  return { abi: fillRouter.abi, address: router, functionName: 'fillMany', args, value: value ?? sum };
}
