import { relative } from 'node:path';

/** Never contains a secret value. */
export interface ConfigProblem {
  readonly file: string;
  /** 1-based; 0 for the whole file. */
  readonly line: number;
  readonly column: number;
  /** Id or `use` of the plugin with the problem. */
  readonly plugin?: string;
  /** Within the file, e.g. `service.port`; within the options if `plugin` is set. */
  readonly path: string;
  readonly message: string;
  readonly advice?: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const sorted = [...problems].sort(byPlace);
    super(formatProblems(sorted));
    this.problems = sorted;
  }
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column || a.path.localeCompare(b.path);
}

export function formatProblems(problems: readonly ConfigProblem[], from = process.cwd()): string {
  return problems.map((problem) => formatProblem(problem, from)).join('\n');
}

function formatProblem(problem: ConfigProblem, from: string): string {
  const file = shortPath(problem.file, from);
  const place = problem.line > 0 ? `${file}:${problem.line}:${problem.column}` : file;
  const owner = problem.plugin ? ` [${problem.plugin}]` : '';
  const path = problem.path === '' ? '' : ` ${problem.path}:`;
  const advice = problem.advice ? `\n    ${problem.advice}` : '';
  return `${place}${owner}${path} ${problem.message}${advice}`;
}

/** Relative if that is shorter. */
export function shortPath(file: string, from = process.cwd()): string {
  const near = relative(from, file);
  return near !== '' && near.length < file.length ? near : file;
}
