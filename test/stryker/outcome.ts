/** What `reporter.mjs` writes in front of an outcome. */
export const PREFIX = 'stryker-outcome ';

/** Of one change, as `reporter.mjs` writes it. */
export interface Outcome {
  readonly status: 'Killed' | 'Survived' | 'NoCoverage' | 'Timeout' | 'CompileError' | 'RuntimeError' | 'Ignored';
  readonly file: string;
  readonly line: number;
  readonly from: string;
  readonly to: string;
}

export function lineOf({ file, line, from, to }: Outcome): string {
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 120);
  return `survived: ${file}:${line}: ${short(from)} -> ${short(to)}`;
}

/** The line that the night reads. */
export function summary(outcomes: readonly Outcome[]): string {
  const count = (...statuses: readonly Outcome['status'][]) =>
    outcomes.filter(({ status }) => statuses.includes(status)).length;
  return `${count('Killed', 'Timeout')} changes noticed, ${count('Survived')} survived, ${count('NoCoverage')} in code that these tests do not run`;
}
