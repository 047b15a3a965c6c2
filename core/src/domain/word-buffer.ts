import { keccak256 } from './keccak.js';

/** Bytes. */
export const WORD_BYTES = 32;
const MAX_UINT256 = 2n ** 256n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;

/**
 * 32-byte ABI words with an optional fixed first word (a type hash). One buffer per struct kind, because inner
 * structs are hashed while the outer one is being filled.
 */
export class WordBuffer {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #start: number;
  #length: number;

  constructor(words: number, first?: Uint8Array) {
    this.#bytes = new Uint8Array(words * WORD_BYTES);
    this.#view = new DataView(this.#bytes.buffer);
    if (first) this.#bytes.set(first);
    this.#start = first ? WORD_BYTES : 0;
    this.#length = this.#start;
  }

  reset(): this {
    this.#length = this.#start;
    return this;
  }

  word(bytes: Uint8Array): this {
    if (bytes.length !== WORD_BYTES) throw new RangeError(`${bytes.length} bytes are not a word`);
    this.#bytes.set(bytes, this.#take());
    return this;
  }

  address(bytes: Uint8Array): this {
    if (bytes.length !== 20) throw new RangeError(`${bytes.length} bytes are not an account address`);
    const at = this.#take();
    this.#bytes.fill(0, at, at + 12);
    this.#bytes.set(bytes, at + 12);
    return this;
  }

  uint256(value: bigint): this {
    if (value < 0n || value > MAX_UINT256) throw new RangeError(`${value} does not fit a uint256`);
    const at = this.#take();
    if (value <= MAX_UINT64) this.#bytes.fill(0, at, at + 24);
    else {
      this.#view.setBigUint64(at, value >> 192n);
      this.#view.setBigUint64(at + 8, value >> 128n);
      this.#view.setBigUint64(at + 16, value >> 64n);
    }
    this.#view.setBigUint64(at + 24, value);
    return this;
  }

  uint32(value: number): this {
    if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
      throw new RangeError(`${value} does not fit a uint32`);
    const at = this.#take();
    this.#bytes.fill(0, at, at + 28);
    this.#view.setUint32(at + 28, value);
    return this;
  }

  hash(): Uint8Array {
    return keccak256(this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length));
  }

  #take(): number {
    const at = this.#length;
    if (at + WORD_BYTES > this.#bytes.length) throw new RangeError('the word buffer is full');
    this.#length = at + WORD_BYTES;
    return at;
  }
}
