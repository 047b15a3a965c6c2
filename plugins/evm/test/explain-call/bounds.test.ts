import fc from 'fast-check';
import { encodeErrorResult, type Hex, parseAbi } from 'viem';
import { expect, it } from 'vitest';
import { AT_NIGHT } from '../../../../test/support/at-night.js';
import { explainData, explainTrace } from '../../src/explain-call/explain-call.js';
import { readErrors } from '../../src/explain-call/options.js';
import type { TraceFrame } from '../../src/explain-call/trace.js';

const numRuns = AT_NIGHT ? 20_000 : 600;
const errors = readErrors([
  'error Deep(uint256[][] lists, (bytes data, string[] texts)[] items)',
  'error None(uint256[0][] none)',
]);
const BOOK = { errors, contracts: new Map<string, string>() };
/** Bytes of JSON: 32 frames and one error. */
const MAX_JSON_BYTES = 64 * 1024;

const selector = fc.constantFrom(...errors.keys(), '0x08c379a0' as const, '0x4e487b71' as const);
const bytes = fc.uint8Array({ maxLength: 400 }).map((given): Hex => `0x${Buffer.from(given).toString('hex')}`);
const word = fc.oneof(
  fc.integer({ min: 0, max: 0x200 }).map((n) => n.toString(16).padStart(64, '0')),
  fc.constantFrom('f'.repeat(64), `${'0'.repeat(56)}7fffffff`, '20'.padStart(64, '0'), '40'.padStart(64, '0')),
);
const likely = fc
  .tuple(selector, fc.array(word, { maxLength: 12 }))
  .map(([start, words]): Hex => `${start}${words.join('')}`);
const data = fc.oneof(bytes, likely);
const odd = fc.anything({ maxDepth: 2, withBigInt: false });

const { frame } = fc.letrec<{ frame: TraceFrame }>((tie) => ({
  frame: fc.record(
    {
      type: fc.oneof(fc.constantFrom('CALL', 'DELEGATECALL', 'CREATE2'), odd),
      to: fc.oneof(fc.constant(`0x${'aB'.repeat(20)}`), odd),
      input: fc.oneof(data, odd),
      output: fc.oneof(data, odd),
      error: fc.oneof(fc.constantFrom('execution reverted', 'out of gas'), odd),
      gasUsed: fc.oneof(fc.constantFrom('0x1', `0x${'f'.repeat(80)}`), odd),
      calls: fc.oneof({ maxDepth: 5 }, odd, fc.array(tie('frame'), { maxLength: 4 })),
    },
    { requiredKeys: ['error'] },
  ) as fc.Arbitrary<TraceFrame>,
}));

function isBounded(answer: unknown): boolean {
  return JSON.stringify(answer ?? null).length <= MAX_JSON_BYTES;
}

it('whatever a node answers in place of a trace is explained or not, within bounds', () => {
  fc.assert(
    fc.property(fc.oneof(frame, odd), (trace) => isBounded(explainTrace(trace, BOOK))),
    { numRuns },
  );
});

it('whatever a contract throws is explained, within bounds', () => {
  const halt = fc.option(fc.string({ maxLength: 600 }), { nil: undefined });
  const explained = (to: Hex, input: Hex, thrown: Hex, words: string | undefined) =>
    isBounded(explainData({ to, data: input }, thrown, BOOK, words));
  fc.assert(fc.property(fc.constant<Hex>(`0x${'11'.repeat(20)}`), data, data, halt, explained), { numRuns });
});

const abi = parseAbi(['error Error(string)', 'error CallFailed(uint256 index, address to, bytes reason)']);
const TO = `0x${'22'.repeat(20)}` as const;

it('long texts, deep calls, many calls, and errors in errors are cut', () => {
  const text = encodeErrorResult({ abi, errorName: 'Error', args: ['\u0000x'.repeat(200_000)] });
  let deep: TraceFrame = { type: 'CALL', to: TO, output: text, error: 'execution reverted', gasUsed: '0x1' };
  for (let n = 0; n < 1_023; n += 1) deep = { ...deep, calls: [deep] };
  const wide = { ...deep, calls: Array.from({ length: 50_000 }, () => ({ ...deep, output: '0xdeadbeef', calls: [] })) };
  let nested: Hex = '0x';
  for (let n = 0; n < 40; n += 1) nested = encodeErrorResult({ abi, errorName: 'CallFailed', args: [0n, TO, nested] });

  for (const trace of [deep, wide]) {
    const explained = explainTrace(trace, BOOK);
    expect(explained?.details.path.length).toBeLessThanOrEqual(32);
    expect(isBounded(explained)).toBe(true);
  }
  for (const thrown of [text, nested, `0xdeadbeef${'00'.repeat(1_000_000)}`] as const) {
    const explained = explainData({ to: TO, data: '0x' }, thrown, BOOK);
    expect(isBounded(explained)).toBe(true);
    expect(JSON.stringify(explained)).not.toContain('\\u0000');
  }
});
