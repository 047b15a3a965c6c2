import { expect, it } from 'vitest';
import { NotWrittenError } from '../../src/contract/not-written.js';
import type { CaseOutcome, CaseReport, ConformanceReport } from '../../src/testing/report-types.js';
import { workList } from '../../src/testing/work-list.js';

const one = (subject: string, name: string, error?: unknown, outcome: CaseOutcome = 'failed'): CaseReport => ({
  ...{ subject, name, outcome, guarantees: [], ms: 1 },
  ...{ reason: error instanceof Error ? error.message : '', error },
});
const reportOf = (...cases: readonly CaseReport[]): ConformanceReport => ({
  ...{ title: 'thing: mine', ok: false, cases, text: '' },
});

const STEPS = [
  { subjects: ['first'], file: 'src/first.ts', page: 'docs/plugins/prices.md' },
  { subjects: ['second', 'third'], file: 'src/second.ts', page: 'docs/plugins/store.md' },
];

it('says in the order of the steps what fails, what is missing, where, and what to read', () => {
  const unwritten = new NotWrittenError('send: give it to a node', 'src/send.ts');
  const wrapped = Object.assign(new Error('Got unwanted rejection'), { actual: unwritten });
  const report = reportOf(
    one('third', 'comes late', wrapped),
    one('first', 'is right', undefined, 'passed'),
    one('second', 'cannot', undefined, 'notApplicable'),
    one('second', 'sends', unwritten),
    one('first', 'counts', new Error('1 is not 2\n\n+ actual')),
  );
  expect(workList(report, STEPS).split('\n')).toEqual([
    'thing: mine: 1 of 5 cases pass, 1 do not apply, 3 to work through',
    '',
    'Not written yet, in the order in which the cases need it:',
    '  send: give it to a node -> src/send.ts (2 cases wait)',
    '',
    'Case by case:',
    '  first: counts | 1 is not 2 -> src/first.ts | docs/plugins/prices.md',
    '  third: comes late | send: give it to a node -> src/send.ts | docs/plugins/store.md',
    '  second: sends | send: give it to a node -> src/send.ts | docs/plugins/store.md',
  ]);
});

it('says so where nothing is left', () => {
  const report = reportOf(one('first', 'is right', undefined, 'passed'));
  expect(workList(report, STEPS)).toBe('thing: mine: 1 of 1 cases pass, 0 do not apply, nothing is left to do');
});

it('leaves no case out that fails, also of a subject that no step names', () => {
  const text = workList(reportOf(one('fourth', 'is new', new Error('x'))), STEPS);
  expect(text).toContain('  fourth: is new | x -> src/second.ts | docs/plugins/store.md');
});
