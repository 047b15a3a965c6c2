import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  type CaseReport,
  chainConformance,
  liquidityConformance,
  notifierConformance,
  priceConformance,
  screenerConformance,
  storeConformance,
} from '../../src/testing/index.js';

const PATH = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
const MARK = '<!-- cases -->\n';

interface Listed extends Pick<CaseReport, 'subject' | 'name' | 'guarantees'> {
  readonly needs?: readonly string[];
}

const KITS: readonly { readonly title: string; readonly cases: readonly Listed[] }[] = [
  chainConformance,
  storeConformance,
  notifierConformance,
  priceConformance,
  liquidityConformance,
  screenerConformance,
];

function kitMarkdown({ title, cases }: (typeof KITS)[number]): string {
  const rows = cases.map(({ subject, name, guarantees, needs = [] }) => {
    const wants = needs.map((ability) => `\`${ability}\``).join(', ');
    return `| ${subject} | ${name} | ${guarantees.join(' ')} | ${wants} |`;
  });
  const head = ['| subject | what it proves | guards | needs |', '|---|---|---|---|'];
  return [`### ${title}: ${cases.length} cases`, '', ...head, ...rows, ''].join('\n');
}

it('core/docs/conformance.md lists the cases of every kit', async () => {
  const [before = ''] = readFileSync(PATH, 'utf8').split(MARK);
  await expect(`${before}${MARK}\n${KITS.map(kitMarkdown).join('\n')}`).toMatchFileSnapshot(PATH);
});

it('core/docs/conformance.md says what each subject is about', () => {
  const text = readFileSync(PATH, 'utf8');
  const [about = ''] = (text.split('## What the subjects are about')[1] ?? '').split('## Cases');
  const named = new Set([...about.matchAll(/\*\*(\w+)\*\*/g)].map((match) => match[1]));
  const subjects = new Set(KITS.flatMap(({ cases }) => cases.map(({ subject }) => subject)));
  expect([...subjects].filter((subject) => !named.has(subject))).toEqual([]);
  expect([...named].filter((subject) => subject === undefined || !subjects.has(subject))).toEqual([]);
});
