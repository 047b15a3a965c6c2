import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Random } from '../contract/clock.js';

/**
 * `cw_<network>_<id>_<secret><checksum>`: 12, 32 and 6 characters of 0-9, A-Z, a-z. The secret has 190 bits; the checksum
 * is the CRC-32 of everything before it in base 62, so that a typo is refused without asking the database, and scanners
 * that look for leaked keys can tell one from any other text.
 */
const KEY = /^cw_(?:live|test|local)_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/;
const OURS = /^cw_(?:live|test|local)_/;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

const NETWORK_NAMES: Readonly<Record<string, string>> = { mainnet: 'live', testnet: 'test', local: 'local' };

export interface MadeKey {
  /** The key itself: shown once, in the answer that made it, and stored nowhere. */
  readonly secret: string;
  /** `key_<id>`. */
  readonly id: string;
  /** The part before the secret: tells keys apart without giving any away. */
  readonly prefix: string;
  readonly hash: string;
}

/** @param network of the service, so that a key for tests is never taken for one that moves money. */
export function makeKey(random: Pick<Random, 'bytes'>, network: string): MadeKey {
  const id = digits(random, ID_LENGTH);
  const prefix = `cw_${NETWORK_NAMES[network] ?? 'test'}_${id}`;
  const body = `${prefix}_${digits(random, SECRET_LENGTH)}`;
  const secret = body + checksum(body);
  return { secret, id: `key_${id}`, prefix, hash: hashKey(secret) };
}

/** SHA-256, hex: a key is long and random, so nothing slower is needed. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** It begins as our keys do and is none: cut short, or copied wrongly. Keys of a config may have any other form. */
export function isMistyped(key: string): boolean {
  if (!OURS.test(key)) return false;
  const body = key.slice(0, -CHECKSUM_LENGTH);
  return !KEY.test(key) || checksum(body) !== key.slice(-CHECKSUM_LENGTH);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let at = 0; at < CHECKSUM_LENGTH; at += 1) {
    text = DIGITS.charAt(rest % DIGITS.length) + text;
    rest = Math.floor(rest / DIGITS.length);
  }
  return text;
}

/** Each digit equally likely: bytes beyond the last multiple of 62 are drawn again. */
function digits(random: Pick<Random, 'bytes'>, length: number): string {
  const fair = 256 - (256 % DIGITS.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length - text.length)) if (byte < fair) text += DIGITS.charAt(byte % DIGITS.length);
  }
  return text;
}
