import { createHash, timingSafeEqual } from 'node:crypto';
import type { Random } from '@causeway/core';

const TOKEN_BYTES = 32;

/** 43 characters of base64url. */
export function newToken(random: Pick<Random, 'bytes'>): string {
  return Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');
}

export function isToken(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]{43}$/.test(text);
}

/** Tokens are kept by their hash: the time of a look-up shows nothing of others. */
export function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function sameText(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
