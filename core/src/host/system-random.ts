import { randomBytes, randomFillSync } from 'node:crypto';
import type { Random } from '../contract/clock.js';

/** One system call serves many small draws; each draw is returned once and wiped here. */
const pool = Buffer.alloc(4096);
let next = pool.length;

function draw(length: number): Uint8Array {
  if (length > pool.length / 4) return new Uint8Array(randomBytes(length));
  if (next + length > pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const drawn = new Uint8Array(pool.subarray(next, next + length));
  pool.fill(0, next, next + length);
  next += length;
  return drawn;
}

export const systemRandom: Random = Object.freeze({
  bytes: draw,
  hex: (length: number): `0x${string}` => `0x${Buffer.from(draw(length).buffer).toString('hex')}`,
  fraction: () => Math.random(),
});
