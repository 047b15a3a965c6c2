import { ConfigError } from '../config/problems.js';

export function print(text = ''): void {
  process.stdout.write(`${text}\n`);
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
  if (!(error instanceof Error)) return String(error);
  const expected = error.name !== 'Error' && error.name !== 'TypeError' && error.name !== 'RangeError';
  return expected ? error.message : (error.stack ?? error.message);
}
