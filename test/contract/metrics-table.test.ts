import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { discoverMetrics } from '../support/metric-discovery.js';
import { ROOT } from '../support/repository.js';

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly labels: readonly string[];
  readonly meaning: string;
}

const found = discoverMetrics();

const rows: readonly Row[] = readFileSync(`${ROOT}core/docs/metrics.md`, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, name = '', kind = '', labels = '', meaning = ''] = line.split('|').map((cell) => cell.trim());
    const listed = labels.split(', ').filter((label) => label !== '');
    return { name: bare(name), kind, labels: listed.map(bare).sort(), meaning };
  });

function bare(text: string): string {
  return text.replaceAll('`', '');
}

it('every metric has a name and an owner that can be read', () => {
  expect(found.unreadable).toEqual([]);
});

it('core/docs/metrics.md lists every metric that product code reports, once, as its kind, and no other', () => {
  const reported = new Set(found.metrics.map(({ name, kind }) => `${name} ${kind}`));
  expect(rows.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([...reported].sort());
});

it('lists the labels that the code writes out, and says what each metric means', () => {
  for (const { name, labels, where } of found.metrics)
    if (labels) expect(rows.find((row) => row.name === name)?.labels, `${name} at ${where}`).toEqual(labels);
  for (const { name, meaning } of rows) expect(meaning, name).not.toBe('');
});

it('finds what is reported under any name, and owns up to what it cannot read', () => {
  const text = `
    this.#deps.metrics.count(name, 'Help');
    told.observe('wait_ms', 'Help', 5, { chain: 1 });
    metrics.gauge('open', 'Help', 1);
    rows.count({ n: '*' });`;
  const files = ['core/src/engine/x.ts', 'plugins/two-words/src/x.ts', 'core/src/elsewhere/x.ts'];
  const { metrics, unreadable } = discoverMetrics(files.map((path) => ({ path, text })));
  expect(metrics.map(({ name, kind, labels }) => ({ name, kind, labels }))).toEqual(
    ['engine', 'two_words'].flatMap((owner) => [
      { name: `causeway_${owner}_wait_seconds`, kind: 'histogram', labels: ['chain'] },
      { name: `causeway_${owner}_open`, kind: 'gauge', labels: [] },
    ]),
  );
  expect(unreadable.map((line) => line.split(' ')[0])).toEqual([
    'core/src/engine/x.ts:2:',
    'plugins/two-words/src/x.ts:2:',
    'core/src/elsewhere/x.ts:2:',
    'core/src/elsewhere/x.ts:3:',
    'core/src/elsewhere/x.ts:4:',
  ]);
});
