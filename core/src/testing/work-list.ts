import { NotWrittenError } from '../contract/not-written.js';
import type { CaseReport, ConformanceReport } from './report-types.js';

/** Where one works on what the cases of some subjects ask for. The last step takes those of subjects that no step names, too. */
export interface WorkStep {
  /** Subjects of the kit. A case belongs to the first step that names its subject. */
  readonly subjects: readonly string[];
  /** The file to open where a case does not say which, relative to the package. */
  readonly file: string;
  /** The page to read. */
  readonly page: string;
}

const LONGEST = 160;

/**
 * What is left to do until a kit passes, as text: first what is not written, with the number of cases that wait for it, then the
 * cases that fail, one per line, in the order of the steps: the case, what is missing, the file to open and the page to read.
 *
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
    ...(next.length === 0 ? [] : ['', 'Not written, in the order in which cases meet it:', ...next]),
    ...['', 'Case by case:'],
    ...failed.map(({ one, what, file, step }) => `  ${one.subject}: ${one.name} | ${what} -> ${file} | ${step.page}`),
  ].join('\n');
}

/** A later kit has more subjects than a package of before knows. */
function stepOf({ subject }: CaseReport, steps: readonly WorkStep[]): number {
  const at = steps.findIndex(({ subjects }) => subjects.includes(subject));
  return at < 0 ? steps.length - 1 : at;
}

function missing(one: CaseReport, { file }: WorkStep): { readonly what: string; readonly file: string } {
  const unwritten = notWritten(one);
  if (unwritten !== undefined) return unwritten;
  const [line = ''] = one.reason.split('\n');
  return { what: line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line, file };
}

/** Also where an assertion was made about it, as that nothing is thrown. */
function notWritten({ error }: CaseReport): NotWrittenError | undefined {
  const { actual, cause } = (error ?? {}) as { readonly actual?: unknown; readonly cause?: unknown };
  return [error, actual, cause].find((one) => one instanceof NotWrittenError);
}
