import type { Figure } from './report.js';

interface Recorded {
  readonly ratio: number;
  readonly commit: string;
  /** Of the same run, a second; absent in older records. */
  readonly baseline?: number;
}

export type Records = Readonly<Record<string, Readonly<Record<string, Recorded>>>>;

/** Below this share of the recorded ratio is a loss; anything above is noise. */
const MIN_SHARE = 0.8;

/**
 * Ratios of machines whose baselines differ by more are not compared: measured, one commit has 0.156 of a bare server of 15,000
 * requests a second, and 0.104 of one of 48,700.
 */
const SAME_MACHINE = 1.5;

interface Held {
  readonly figure: Figure;
  readonly held?: boolean;
}

export function comparedWith(recorded: Records[string] = {}, figures: readonly Figure[]): readonly Held[] {
  return figures.map((figure) => {
    const before = recorded[figure.name];
    if (figure.ratio === undefined || before === undefined) return { figure };
    if (!isSameMachine(before.baseline, figure.baseline)) {
      const value = `${figure.value}, not compared: the baseline was ${before.baseline?.toFixed(0)}/s at ${before.commit}`;
      return { figure: { ...figure, value } };
    }
    const share = figure.ratio / before.ratio;
    const value = `${figure.value}, ${share.toFixed(2)} of ${before.ratio.toFixed(3)} at ${before.commit}`;
    return { figure: { ...figure, value }, held: share >= MIN_SHARE };
  });
}

function isSameMachine(before: number | undefined, now: number | undefined): boolean {
  return before === undefined || now === undefined || Math.max(before / now, now / before) <= SAME_MACHINE;
}

/** Recorded ratios that this run did not measure, because a row was renamed or dropped. */
export function missingFrom(recorded: Records[string] = {}, figures: readonly Figure[]): readonly string[] {
  const measured = new Set(figures.filter(({ ratio }) => ratio !== undefined).map(({ name }) => name));
  return Object.keys(recorded).filter((name) => !measured.has(name));
}

export function recordedAgain(records: Records, bench: string, figures: readonly Figure[], commit: string): Records {
  const rows = figures.flatMap(({ name, ratio, baseline }): [string, Recorded][] => {
    const machine = baseline === undefined ? {} : { baseline: Math.round(baseline) };
    return ratio === undefined ? [] : [[name, { ratio: Number(ratio.toFixed(4)), commit, ...machine }]];
  });
  return rows.length === 0 ? records : { ...records, [bench]: Object.fromEntries(rows) };
}
