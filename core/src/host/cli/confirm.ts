import { createInterface } from 'node:readline/promises';
import { UsageError } from './command.js';

/**
 * Whether the operator agrees.
 *
 * @param given by a flag. @throws UsageError where there is no terminal to ask at.
 */
export async function confirmed(question: string, given: boolean): Promise<boolean> {
  if (given) return true;
  if (!process.stdin.isTTY) throw new UsageError('--yes is missing: there is no terminal to ask at');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
