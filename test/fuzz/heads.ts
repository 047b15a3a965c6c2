import type { Dice } from './dice.js';
import type { Operation } from './operations.js';
import { NO_HOST } from './request.js';

type Header = readonly [name: string, value: string];

/** Keys in every possible state. `key` opens everything except operator routes. */
const KEYS = {
  none: 30,
  key: 34,
  elevated: 8,
  narrow: 6,
  expired: 5,
  revoked: 5,
  rotated: 3,
  mistyped: 3,
  unknown: 2,
  odd: 4,
} as const;

/** Invalid kinds of keys. */
export const BAD_KEYS: readonly string[] = ['expired', 'revoked', 'mistyped', 'unknown'];

const ODD_KEYS = [
  '',
  ' ',
  'null',
  'a'.repeat(513),
  'a'.repeat(5_000),
  '\xff\xfe',
  'cw_local_',
  '~key.0~,~key.0~',
  '~key.0~ ',
  '"~key.0~"',
];

export function drawHeaders(operation: Operation, hasBody: boolean, dice: Dice): readonly Header[] {
  const headers: Header[] = [];
  const state = dice.weighed(KEYS);
  if (state === 'odd') headers.push(['x-api-key', dice.pick(ODD_KEYS)]);
  else if (state !== 'none') headers.push(['x-api-key', `~${state}.0~`]);
  if (operation.access !== 'open') headers.push(...adminHeaders(dice));
  if (hasBody) headers.push(['content-type', dice.chance(0.95) ? 'application/json' : dice.pick(TYPES)]);
  if (dice.chance(0.12)) headers.push(dice.pick(ODD));
  if (dice.chance(0.02)) headers.push(dice.pick(MALFORMED));
  if (dice.chance(0.003)) headers.push(['x-long', 'a'.repeat(dice.pick([8_000, 16_000, 40_000]))]);
  return headers;
}

function adminHeaders(dice: Dice): readonly Header[] {
  switch (dice.weighed({ right: 80, bearer: 8, wrong: 6, none: 6 })) {
    case 'right':
      return [['x-admin-key', '~adminKey.0~']];
    case 'bearer':
      return [['authorization', dice.pick(['Bearer ~adminKey.0~', 'bearer ~adminKey.0~'])]];
    case 'wrong':
      return [['x-admin-key', dice.pick(['x', '~key.0~', '', '~adminKey.0~x'])]];
    case 'none':
      return [];
  }
}

const TYPES = [
  'application/json; charset=utf-8',
  'application/vnd.api+json',
  'APPLICATION/JSON',
  'application/json;;;',
  'application/jsonx',
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  '',
  '\xff',
];

/** Valid HTTP, whatever they mean. */
const ODD: readonly Header[] = [
  ['origin', 'https://example.org'],
  ['origin', 'null'],
  ['origin', '\xff\x80'],
  ['x-request-id', 'fuzz-1'],
  ['x-request-id', 'a b\tc'],
  ['x-request-id', 'a'.repeat(65)],
  ['x-request-id', '%0d%0aX-Injected: 1'],
  ['x-forwarded-for', '1.2.3.4, nonsense, ::1'],
  ['accept', 'text/html;q=x'],
  ['accept-encoding', 'gzip'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'identity'],
  ['content-type', 'text/plain'],
  ['expect', '100-continue'],
  ['expect', 'something-else'],
  ['connection', 'close'],
  ['connection', 'upgrade'],
  ['if-none-match', '*'],
  ['if-modified-since', 'nonsense'],
  ['range', 'bytes=0-1'],
  ['cookie', `a=${'b'.repeat(2_000)}`],
  ['host', ''],
  [NO_HOST, ''],
  ['host', 'a'.repeat(300)],
  ['host', '[::1'],
  ['x-http-method-override', 'DELETE'],
  ['access-control-request-method', 'POST'],
  ['relay-sdk-version', '\xf0\x9f\x98\x80'],
  ['__proto__', '1'],
  ['constructor', '1'],
  ['x-api-key', '~key.0~'],
];

/** Invalid HTTP. */
const MALFORMED: readonly Header[] = [
  ['x-a', 'a\r\nx-b: c'],
  ['x-a', 'a\nb'],
  ['x-a', 'a\rb'],
  ['x-a', '\x00'],
  ['x-a\r\n x-folded', 'b'],
  ['x a', 'b'],
  ['', 'b'],
  ['x-é', 'b'],
  ['content-length', '-1'],
  ['content-length', '1e3'],
  ['transfer-encoding', 'gzip'],
  ['transfer-encoding', 'chunked, identity'],
  ['host', 'a\r\nHost: b'],
];
