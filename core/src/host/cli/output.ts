import { ConfigError } from '../config/problems.js';
import { KeyReferenceError } from '../keys.js';
import type { Arguments } from './arguments.js';

export function print(text = ''): void {
  process.stdout.write(`${text}\n`);
}

/** JSON where `--json` asks for it. */
export function printReport({ flags }: Pick<Arguments, 'flags'>, value: unknown, lines: () => readonly string[]): void {
  if (flags['json'] === true) print(JSON.stringify(value, null, 2));
  else for (const line of lines()) print(line);
}

export function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The stack only for unexpected errors. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError) {
    const count = error.problems.length;
    return `${error.message}\n\n${count} problem${count === 1 ? '' : 's'} in the configuration`;
  }
  if (error instanceof KeyReferenceError) return `${error.reference} ${error.message}: ${error.advice}`;
  if (!(error instanceof Error)) return String(error);
  const expected = error.name !== 'Error' && error.name !== 'TypeError' && error.name !== 'RangeError';
  return expected ? error.message : (error.stack ?? error.message);
}
