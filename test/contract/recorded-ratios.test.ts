import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { comparedWith, missingFrom, type Records, recordedAgain } from '../bench/recorded.js';
import { ROOT } from '../support/repository.js';

const before: Records = { quote: { plain: { ratio: 0.1, commit: '869ee99' } } };

it.each([
  [0.2, true],
  [0.0801, true],
  [0.0799, false],
])('a ratio of %d is within the limits of 0.1: %j, and is shown next to it', (ratio, holds) => {
  const [row] = comparedWith(before.quote, [{ name: 'plain', value: String(ratio), ratio }]);
  expect(row?.held).toBe(holds);
  expect(row?.figure.value).toContain('of 0.100 at 869ee99');
});

it('nothing is compared with a figure that is no ratio, or was never recorded', () => {
  const figures = [
    { name: 'plain', value: '3 ms' },
    { name: 'other', value: '1', ratio: 1 },
  ];
  expect(comparedWith(before.quote, figures)).toEqual(figures.map((figure) => ({ figure })));
  expect(comparedWith(undefined, figures)).toEqual(figures.map((figure) => ({ figure })));
});

it('ratios of machines of another speed are not compared', () => {
  const recorded = { plain: { ratio: 0.1, commit: '869ee99', baseline: 15_000 } };
  const on = (baseline: number) => comparedWith(recorded, [{ name: 'plain', value: '0.05', ratio: 0.05, baseline }])[0];
  expect(on(16_000)?.held).toBe(false);
  expect(on(48_000)?.held).toBeUndefined();
  expect(on(48_000)?.figure.value).toContain('not compared: the baseline was 15000/s at 869ee99');
});

it('a recorded row that is not measured any more is reported', () => {
  expect(missingFrom(before.quote, [{ name: 'plain, renamed', value: '1', ratio: 1 }])).toEqual(['plain']);
});

it('a record takes the place of the last one of its bench, and leaves the others', () => {
  const figures = [
    { name: 'share', value: '1', ratio: 0.123456 },
    { name: 'p99', value: '3 ms' },
  ];
  const after = recordedAgain(before, 'status', figures, 'abc');
  expect(after).toEqual({ ...before, status: { share: { ratio: 0.1235, commit: 'abc' } } });
});

it('every recorded row is one that its bench measures', () => {
  const records = JSON.parse(readFileSync(`${ROOT}test/bench/recorded-ratios.json`, 'utf8')) as Records;
  const files = {
    quote: 'quote.ts',
    status: 'status.ts',
    webhooks: 'webhooks/webhooks.ts',
    'svm-burst': 'svm-burst.ts',
  };
  expect(Object.keys(records).sort()).toEqual(Object.keys(files).sort());
  for (const [bench, file] of Object.entries(files)) {
    const source = readFileSync(`${ROOT}test/bench/${file}`, 'utf8');
    for (const name of Object.keys(records[bench] ?? {})) expect(source).toContain(`name: '${name}'`);
  }
});
