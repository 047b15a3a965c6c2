import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Random } from '../contract/clock.js';

/**
 * `cw_<network>_<id>_<secret><checksum>`: 12, 32 and 6 characters of 0-9, A-Z, a-z. The secret has 190 bits. The
 * checksum, CRC-32 of everything before it in base 62, catches typos without a database read and lets leak scanners
 * recognise keys.
 */
const KEY = /^cw_(?:live|test|local)_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/;
const GENERATED_KEY = /^cw_(?:live|test|local)_/;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

const NETWORK_NAMES: Readonly<Record<string, string>> = { mainnet: 'live', testnet: 'test', local: 'local' };

export interface MadeKey {
  /** The full key: shown once, in the answer that created it, and never stored. */
  readonly secret: string;
  /** `key_<id>`. */
  readonly id: string;
  /** The part before the secret; safe to display. */
  readonly prefix: string;
  readonly hash: string;
}

/** @param network of the service, so that a test key is never accepted where real money moves. */
export function makeKey(random: Pick<Random, 'bytes'>, network: string): MadeKey {
  const id = digits(random, ID_LENGTH);
  const prefix = `cw_${NETWORK_NAMES[network] ?? 'test'}_${id}`;
  const body = `${prefix}_${digits(random, SECRET_LENGTH)}`;
  const secret = body + checksum(body);
  return { secret, id: `key_${id}`, prefix, hash: hashKey(secret) };
}

/** SHA-256, hex: keys are long and random, so no slow hash is needed. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Has the prefix of a generated key but is malformed. Keys set in a config may have any other form. */
export function isMistyped(key: string): boolean {
  if (!GENERATED_KEY.test(key)) return false;
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

/** Unbiased: bytes beyond the last multiple of 62 are drawn again. */
function digits(random: Pick<Random, 'bytes'>, length: number): string {
  const fair = 256 - (256 % DIGITS.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length - text.length)) if (byte < fair) text += DIGITS.charAt(byte % DIGITS.length);
  }
  return text;
}
