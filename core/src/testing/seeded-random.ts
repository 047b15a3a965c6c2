import type { Random } from '../contract/clock.js';
import type { Hex } from '../contract/ids.js';

const HEX = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, '0'));

/**
 * Deterministic randomness (xoshiro128**, seeded through a string hash). Not for secrets.
 *
 * Invariant: a fork depends on the seed and its name alone, so one consumer's draws never shift another's.
 */
export class SeededRandom implements Random {
  readonly seed: string;
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: string | number) {
    this.seed = String(seed);
    [this.#a, this.#b, this.#c, this.#d] = spread(this.seed);
  }

  /** An independent source, the same for the same name. */
  fork(name: string): SeededRandom {
    return new SeededRandom(`${this.seed}/${name}`);
  }

  /** A whole number in [0, 2^32). */
  next(): number {
    const five = Math.imul(this.#b, 5);
    const result = Math.imul((five << 7) | (five >>> 25), 9) >>> 0;
    const t = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= t;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  fraction(): number {
    return this.next() / 0x1_0000_0000;
  }

  /** A whole number in [least, most]. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** @throws on an empty list. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[this.between(0, items.length - 1)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const out = [...items];
    for (let n = out.length - 1; n > 0; n -= 1) {
      const other = this.between(0, n);
      [out[n], out[other]] = [out[other] as T, out[n] as T];
    }
    return out;
  }

  bytes(length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (let n = 0; n < length; n += 1) out[n] = this.next() >>> 24;
    return out;
  }

  hex(length: number): Hex {
    let text = '';
    for (let left = length; left > 0; left -= 4) {
      const word = this.next();
      for (let n = 0; n < Math.min(4, left); n += 1) text += HEX[(word >>> (n * 8)) & 0xff];
    }
    return `0x${text}`;
  }
}

/** 128 bits of a text, never all zero. */
function spread(text: string): [number, number, number, number] {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0xdeadbeef];
  for (let n = 0; n < text.length; n += 1) {
    const k = text.charCodeAt(n);
    a = b ^ Math.imul(a ^ k, 0x85ebca6b);
    b = c ^ Math.imul(b ^ k, 0xc2b2ae35);
    c = d ^ Math.imul(c ^ k, 0x27d4eb2f);
    d = a ^ Math.imul(d ^ k, 0x165667b1);
  }
  const mixed = [a, b, c, d].map((word, n) => finish(word + Math.imul(n + 1, 0x9e3779b9) + text.length));
  return [mixed[0] as number, mixed[1] as number, mixed[2] as number, (mixed[3] as number) | 1];
}

function finish(word: number): number {
  let x = word | 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return x ^ (x >>> 15);
}
