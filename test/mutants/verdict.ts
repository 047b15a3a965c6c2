import type { Mutant } from './mutant.js';
import type { RunAnswer } from './run-result.js';

/**
 * `caught`: a case failed. `listed`: no case did, and the mutant says why that costs nobody anything. Everything else is wrong: one
 * that `survived`, one that is `notListed` any more because a case fails, and one that was `broken`, which proves nothing.
 */
export type Fate = 'caught' | 'listed' | 'survived' | 'notListed' | 'broken';

export interface Verdict {
  readonly mutant: Mutant;
  readonly fate: Fate;
  /** The case that failed, the reason why none has to, or what went wrong. */
  readonly by: string;
  readonly seconds: number;
}

export function verdictOf(mutant: Mutant, answer: RunAnswer, seconds: number): Verdict {
  const verdict = (fate: Fate, by: string): Verdict => ({ mutant, fate, by, seconds });
  if ('broken' in answer) return verdict('broken', answer.broken);
  const isListed = 'survives' in mutant;
  if (answer.failed === null)
    return isListed ? verdict('listed', mutant.survives) : verdict('survived', `${answer.ran} cases pass`);
  return verdict(isListed ? 'notListed' : 'caught', answer.failed.name);
}

export const isWrong = ({ fate }: Verdict): boolean => fate !== 'caught' && fate !== 'listed';

const WORDS: Readonly<Record<Fate, string>> = {
  caught: 'caught by',
  listed: 'listed:',
  survived: 'SURVIVED',
  notListed: 'LISTED, BUT CAUGHT BY',
  broken: 'BROKEN:',
};

/** One row per mutant, and a last line to grep for. */
export function verdictTable(verdicts: readonly Verdict[]): string {
  const head = ['mutant', 'method', 'seconds', 'verdict', 'what it would cost'];
  const rows = verdicts.map(({ mutant, fate, by, seconds }) => [
    mutant.name,
    mutant.method,
    seconds.toFixed(1),
    `${WORDS[fate]} ${by.replaceAll(/\s+/g, ' ').slice(0, 120)}`,
    mutant.cost,
  ]);
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  const count = (...fates: readonly Fate[]) => verdicts.filter(({ fate }) => fates.includes(fate)).length;
  const wrong = verdicts.filter(isWrong).length;
  return [
    ...[head, ...rows].map((cells) => line(cells).trimEnd()),
    '',
    `${verdicts.length} mutants, ${count('caught')} caught, ${count('listed')} listed, ${wrong} wrong`,
  ].join('\n');
}
