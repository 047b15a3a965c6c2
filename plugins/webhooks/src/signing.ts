import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
const [MIN_SECRET_BYTES, MAX_SECRET_BYTES] = [24, 64];

export interface Secret {
  readonly text: string;
  readonly key: Buffer;
}

/** @throws TypeError that describes the format, never the secret. */
export function secretOf(text: string): Secret {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  const key = Buffer.from(base64, 'base64');
  if (
    key.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, '') ||
    key.length < MIN_SECRET_BYTES ||
    key.length > MAX_SECRET_BYTES
  )
    throw new TypeError(
      `a secret is ${PREFIX} and the base64 of ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} random bytes`,
    );
  return { text, key };
}

export function textOfSecret(key: Uint8Array): string {
  return PREFIX + Buffer.from(key).toString('base64');
}

/**
 * Headers of Standard Webhooks, one signature per secret, newest first.
 *
 * @param at Unix milliseconds of the attempt.
 */
export function standardHeaders(
  id: string,
  at: number,
  body: string,
  secrets: readonly Secret[],
): Readonly<Record<string, string>> {
  const timestamp = secondsOf(at);
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(({ key }) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/**
 * One signature, whose key is the text of the secret.
 *
 * @param at Unix milliseconds of the attempt; sent in seconds.
 */
export function timestampedHeaders(at: number, body: string, { text }: Secret): Readonly<Record<string, string>> {
  const timestamp = secondsOf(at);
  const signature = createHmac('sha256', text).update(`${timestamp}.${body}`).digest('hex');
  return { 'x-signature-timestamp': timestamp, 'x-signature-sha256': signature };
}

function secondsOf(at: number): string {
  return String(Math.floor(at / 1_000));
}
