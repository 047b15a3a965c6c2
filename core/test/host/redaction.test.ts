import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/observability/logger.js';
import { Redactor } from '../../src/observability/redactor.js';
import { SECRET } from './home.js';

describe('the redactor', () => {
  const redactor = new Redactor();
  redactor.add(SECRET);

  it.each([
    ['a key it knows, with and without 0x', `${SECRET} ${SECRET.slice(2)}`, '[redacted] [redacted]'],
    ['keys in query strings', 'GET /requests/v3?apiKey=abc123&limit=2', 'GET /requests/v3?apiKey=[redacted]&limit=2'],
    [
      'our own keys wherever they stand, and leaves which one it was',
      '/x/cw_live_abcDEF012345_0123456789abcdefghijklmnopqrstuvwxyzAB "cw_local_000000000000_zzz"',
      '/x/cw_live_abcDEF012345_[redacted] "cw_local_000000000000_[redacted]"',
    ],
    ['lists of keys in query strings', '/requests/v2?apiKey=abc,def&x=1', '/requests/v2?apiKey=[redacted]&x=1'],
    [
      'keys in query strings that were encoded',
      'next=%2Fws%3FapiKey%3Dabc123%26x',
      'next=%2Fws%3FapiKey%3D[redacted]%26x',
    ],
    ['provider keys in URLs', 'https://rpc.example.org/?api_key=abc', 'https://rpc.example.org/?api_key=[redacted]'],
    ['credentials in URLs', 'wss://me:pass@rpc.example.org/', 'wss://[redacted]@rpc.example.org/'],
    [
      'headers',
      '{"x-api-key":"abc","authorization":"Bearer abcdefgh.i"}',
      '{"x-api-key":"[redacted]","authorization":"[redacted]"}',
    ],
    ['headers in capitals', 'Authorization: Basic abcdefgh', 'Authorization: [redacted]'],
    ['loose bearer tokens', 'sent Bearer abcdefgh.i to it', 'sent Bearer [redacted] to it'],
  ])('removes %s', (_, text, expected) => {
    expect(redactor.clean(text)).toBe(expected);
  });

  it('leaves hashes and addresses alone', () => {
    const line = `{"requestId":"0x${'ab'.repeat(32)}","user":"0x${'cd'.repeat(20)}","keyId":"key_1"}`;
    expect(redactor.clean(line)).toBe(line);
  });

  const WORDS: readonly (readonly [string, (length: number) => string])[] = [
    ['one long word and an @', (n) => `${'a.'.repeat(n / 2)}@`],
    ['words that begin everywhere', (n) => `${'a-b+'.repeat(n / 4)}://@`],
    ['URLs without an end', (n) => `${'a://b:'.repeat(n / 6)}@`],
    ['a header and nothing after it', (n) => `authorization:${' '.repeat(n)}`],
    ['bearers without a token', (n) => 'Bearer '.repeat(n / 7)],
    ['parameters in parameters', (n) => '%3Fkey%3D'.repeat(n / 9)],
  ];

  it.each(WORDS)('reads %s in a time that grows as its length does', (_, make) => {
    const time = (text: string): number => {
      const runs = Array.from({ length: 5 }, () => {
        const started = performance.now();
        redactor.clean(text);
        return performance.now() - started;
      });
      return Math.min(...runs);
    };
    const [short, long] = [make(4_000), make(64_000)];
    time(short);
    // 16 times the text; quadratic time would take 256 times as long. The floor allows for timer resolution.
    expect(time(long) / Math.max(time(short), 0.05)).toBeLessThan(100);
  });
});

describe('the logger', () => {
  it('writes one JSON object a line, whatever it is given', () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', redactor: new Redactor(), write: (line) => lines.push(line) });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    log
      .child({ chain: 1 })
      .info({ amount: 10n ** 30n, inner: { amount: 5n, privateKey: 'x' }, circular, password: 'y' }, 'sent');
    log.error(new Error('broken'), 'failed');
    log.debug({}, 'not shown');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      chain: 1,
      amount: `1${'0'.repeat(30)}`,
      inner: { amount: '5', privateKey: '[redacted]' },
      password: '[redacted]',
      msg: 'sent',
    });
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ level: 'error', err: { message: 'broken' } });
  });

  it('cuts what is too long, and knows a secret that lies across the cut', () => {
    const lines: string[] = [];
    const redactor = new Redactor();
    redactor.add(SECRET);
    const log = createLogger({ level: 'info', redactor, write: (line) => lines.push(line) });
    const across = `${'x'.repeat(3_990)}${SECRET}${'y'.repeat(1_000_000)}`;
    log.child({ from: across }).warn({ across, deep: { across }, many: Array(50_000).fill('word') }, across);
    log.error(new Error(across, { cause: new Error(across) }), 'failed');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(40_000);
    for (const line of lines) expect(line).not.toContain(SECRET.slice(2, 8));
    expect(JSON.parse(lines[0] ?? '').across).toMatch(/^x{3990}\[redacted\]… \(1004000 characters in all\)$/);
  });
});
