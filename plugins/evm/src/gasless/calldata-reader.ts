import type { Hex } from '@causeway/core';

const WORD_BYTES = 32n;
export const DIGITS_PER_BYTE = 2;

export class Malformed extends Error {
  override readonly name = 'Malformed';
}

/**
 * Reads words of ABI-encoded arguments where Solidity would read them from calldata, without decoding or copying the
 * rest: the caller chooses all offsets, and may let thousands of them show at the same large field.
 *
 * Stricter than Solidity, which wraps offsets and reads zeros behind the end: both are refused.
 */
export class CalldataReader {
  readonly #digits: string;
  readonly #size: bigint;

  /** @param data with a selector, which is skipped. */
  constructor(data: Hex) {
    this.#digits = data.slice(10);
    this.#size = BigInt(this.#digits.length / DIGITS_PER_BYTE);
  }

  /** @param at bytes behind the selector. @throws Malformed */
  bytes(at: bigint, length: bigint): string {
    if (at < 0n || length < 0n || at + length > this.#size) throw new Malformed(`no ${length} bytes at ${at}`);
    const start = Number(at) * DIGITS_PER_BYTE;
    return this.#digits.slice(start, start + Number(length) * DIGITS_PER_BYTE);
  }

  /** @throws Malformed */
  word(base: bigint, index: number): bigint {
    return BigInt(`0x${this.bytes(base + BigInt(index) * WORD_BYTES, WORD_BYTES)}`);
  }

  /** @throws Malformed for dirty bits, as Solidity. */
  address(base: bigint, index: number): Hex {
    const word = this.bytes(base + BigInt(index) * WORD_BYTES, WORD_BYTES).toLowerCase();
    if (!word.startsWith('0'.repeat(24))) throw new Malformed('no address');
    return `0x${word.slice(24)}`;
  }

  /** Where the argument with this index lies, whose offset counts from `base`. @throws Malformed */
  tail(base: bigint, index: number): bigint {
    return base + this.word(base, index);
  }

  /** Where the elements of an array lie that have offsets. @throws Malformed, also for more than `most`. */
  elements(at: bigint, most: number): readonly bigint[] {
    const count = this.word(at, 0);
    if (count > BigInt(most)) throw new Malformed(`more than ${most} elements`);
    const base = at + WORD_BYTES;
    return Array.from({ length: Number(count) }, (_, n) => this.tail(base, n));
  }
}
