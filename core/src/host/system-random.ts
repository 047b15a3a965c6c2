import { randomBytes } from 'node:crypto';
import type { Random } from '../contract/clock.js';

export const systemRandom: Random = Object.freeze({
  bytes: (length: number) => new Uint8Array(randomBytes(length)),
  hex: (length: number): `0x${string}` => `0x${randomBytes(length).toString('hex')}`,
  fraction: () => Math.random(),
});
