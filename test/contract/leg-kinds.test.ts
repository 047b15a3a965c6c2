import { expect, it } from 'vitest';
import { EVERY_LEG } from '../../core/src/contract/legs.js';
import { repositoryFiles } from '../support/repository.js';

const KIND = `'(?:${EVERY_LEG.join('|')})'`;

/** Other unions with a member of the same name. */
const OTHERS = /\b(?:decision|whole)\.kind/;

const COMPARISONS = [
  new RegExp(`kind\\)?\\s*[!=]==?\\s*${KIND}`),
  new RegExp(`${KIND}\\s*[!=]==?`),
  new RegExp(`case ${KIND}:`),
  /\b(?:has|includes)\(\s*(?:leg|instruction|fact|row)\??\.kind\s*\)/,
  /switch \((?:leg|instruction|fact|row|held)\.kind\)/,
];

it('nothing in core outside the kinds of legs asks which kind one is', () => {
  const files = repositoryFiles(/^core\/src\/(?!testing\/|engine\/kinds\/).*\.ts$/);
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        COMPARISONS.some((one) => one.test(line)) && !OTHERS.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [],
      ),
  );
  expect(found).toEqual([]);
});

it('whichever way that is written', () => {
  const lines = [
    "if (leg.kind === 'fill') return;",
    "return due.some(({ kind }) => kind !== 'collect');",
    "const back = 'refund' === leg.kind;",
    "    case 'excess':",
    'if (PAYING.has(leg.kind)) return;',
    'switch (fact.kind) {',
  ];
  for (const line of lines)
    expect(
      COMPARISONS.some((one) => one.test(line)),
      line,
    ).toBe(true);
});
