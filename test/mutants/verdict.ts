import type { Mutant } from './mutant.js';
import type { RunAnswer } from './run-result.js';

/**
 * `caught`: a case failed. `listed`: none did, and the mutant says why that is harmless. `open`: none did, and it
 * names the gap in the kit. The rest are errors: `survived`, `notListed` (listed, but a case fails), `broken` (proves
 * nothing).
 */
export type Fate = 'caught' | 'listed' | 'open' | 'survived' | 'notListed' | 'broken';

export interface Verdict {
  readonly mutant: Mutant;
  readonly fate: Fate;
  /** The failing case, the reason why none has to fail, or the error. */
  readonly by: string;
  readonly seconds: number;
}

export function verdictOf(mutant: Mutant, answer: RunAnswer, seconds: number): Verdict {
  const verdict = (fate: Fate, by: string): Verdict => ({ mutant, fate, by, seconds });
  if ('broken' in answer) return verdict('broken', answer.broken);
  const { failed, ran } = answer;
  if (failed !== null) return verdict('noticedBy' in mutant ? 'caught' : 'notListed', failed.name);
  if ('survives' in mutant) return verdict('listed', mutant.survives);
  return 'open' in mutant ? verdict('open', mutant.open) : verdict('survived', `${ran} cases pass`);
}

export const isWrong = ({ fate }: Verdict): boolean => fate !== 'caught' && fate !== 'listed' && fate !== 'open';

const WORDS: Readonly<Record<Fate, string>> = {
  caught: 'caught by',
  listed: 'listed:',
  open: 'OPEN:',
  survived: 'SURVIVED',
  notListed: 'LISTED, BUT CAUGHT BY',
  broken: 'BROKEN:',
};

/** One row per mutant, and a summary line to grep for. */
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
    `${verdicts.length} mutants, ${count('caught')} caught, ${count('listed')} listed, ${count('open')} open, ${wrong} wrong`,
  ].join('\n');
}
