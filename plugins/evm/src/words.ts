import type { Hex } from '@causeway/core';
import { TransportError } from '@causeway/core/rpc';

/** ABI words of static types: viem's general codec takes 0.25 ms per event. Tests compare with viem. */
const DIGITS = 64;

export function addressWord(address: string): string {
  return address.slice(2).toLowerCase().padStart(DIGITS, '0');
}

export function uintWord(value: bigint | number): string {
  const digits = value.toString(16);
  if (digits.length > DIGITS || digits.startsWith('-')) throw new RangeError(`${value} is no uint256`);
  return digits.padStart(DIGITS, '0');
}

export function idWord(id: string): string {
  if (id.length !== DIGITS + 2) throw new RangeError(`${id} is not 32 bytes`);
  return id.slice(2).toLowerCase();
}

/** @throws TransportError when a provider returned something else. */
export function wordsOf(data: string, count: number): readonly string[] {
  if (data.length !== 2 + DIGITS * count)
    throw new TransportError('an event came back with malformed data', 'malformed');
  return Array.from({ length: count }, (_, n) => data.slice(2 + n * DIGITS, 2 + (n + 1) * DIGITS).toLowerCase());
}

export function wordAddress(word: string | undefined): Hex {
  return `0x${(word ?? '').slice(-40)}`;
}

export function wordUint(word: string | undefined): bigint {
  return BigInt(`0x${word ?? ''}`);
}
