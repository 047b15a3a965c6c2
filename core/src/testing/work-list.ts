import { NotWrittenError } from '../contract/not-written.js';
import type { CaseReport, ConformanceReport } from './report-types.js';

/** Where to work on the cases of some subjects. The last step also takes unnamed subjects. */
export interface WorkStep {
  /** Kit subjects. A case belongs to the first step that names its subject. */
  readonly subjects: readonly string[];
  /** Default file to open, relative to the package. */
  readonly file: string;
  /** Documentation page. */
  readonly page: string;
}

const MAX_LINE_LENGTH = 160;

/**
 * Remaining work as text: unwritten members with the number of waiting cases, then failing cases by step, each with
 * its gap, file and page.
 * @param steps at least one.
 */
export function workList(report: ConformanceReport, steps: readonly WorkStep[]): string {
  const count = (outcome: CaseReport['outcome']): number =>
    report.cases.filter((one) => one.outcome === outcome).length;
  const failing = report.cases
    .filter(({ outcome }) => outcome === 'failed')
    .map((one) => ({ one, at: stepOf(one, steps) }));
  const failed = steps.flatMap((step, n) =>
    failing.filter(({ at }) => at === n).map(({ one }) => ({ one, step, ...missing(one, step) })),
  );
  const head = `${report.title}: ${count('passed')} of ${report.cases.length} cases pass, ${count('notApplicable')} do not apply`;
  if (failed.length === 0) return `${head}, nothing is left to do`;
  const waiting = new Map<string, number>();
  for (const { one, file, what } of failed)
    if (notWritten(one) !== undefined) {
      const text = `${what} -> ${file}`;
      waiting.set(text, (waiting.get(text) ?? 0) + 1);
    }
  const next = [...waiting].map(([text, cases]) => `  ${text} (${cases} ${cases === 1 ? 'case waits' : 'cases wait'})`);
  return [
    `${head}, ${failed.length} to work through`,
    ...(next.length === 0 ? [] : ['', 'Not written yet, in the order in which the cases need it:', ...next]),
    ...['', 'Case by case:'],
    ...failed.map(({ one, what, file, step }) => `  ${one.subject}: ${one.name} | ${what} -> ${file} | ${step.page}`),
  ].join('\n');
}

/** A newer kit may have subjects that an older package does not name. */
function stepOf({ subject }: CaseReport, steps: readonly WorkStep[]): number {
  const at = steps.findIndex(({ subjects }) => subjects.includes(subject));
  return at < 0 ? steps.length - 1 : at;
}

function missing(one: CaseReport, { file }: WorkStep): { readonly what: string; readonly file: string } {
  const unwritten = notWritten(one);
  if (unwritten !== undefined) return unwritten;
  const [line = ''] = one.reason.split('\n');
  return { what: line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH - 1)}…` : line, file };
}

/** Also inside of an assertion error. */
function notWritten({ error }: CaseReport): NotWrittenError | undefined {
  const { actual, cause } = (error ?? {}) as { readonly actual?: unknown; readonly cause?: unknown };
  return [error, actual, cause].find((one) => one instanceof NotWrittenError);
}
