import type { Figure } from './report.js';

interface Recorded {
  readonly ratio: number;
  readonly commit: string;
}

export type Records = Readonly<Record<string, Readonly<Record<string, Recorded>>>>;

/** Below this share of the recorded ratio is a loss; anything above is noise. */
const MIN_SHARE = 0.8;

interface Held {
  readonly figure: Figure;
  readonly held?: boolean;
}

export function comparedWith(recorded: Records[string] = {}, figures: readonly Figure[]): readonly Held[] {
  return figures.map((figure) => {
    const before = recorded[figure.name];
    if (figure.ratio === undefined || before === undefined) return { figure };
    const share = figure.ratio / before.ratio;
    const value = `${figure.value}, ${share.toFixed(2)} of ${before.ratio.toFixed(3)} at ${before.commit}`;
    return { figure: { ...figure, value }, held: share >= MIN_SHARE };
  });
}

/** Recorded ratios that this run did not measure, because a row was renamed or dropped. */
export function missingFrom(recorded: Records[string] = {}, figures: readonly Figure[]): readonly string[] {
  const measured = new Set(figures.filter(({ ratio }) => ratio !== undefined).map(({ name }) => name));
  return Object.keys(recorded).filter((name) => !measured.has(name));
}

export function recordedAgain(records: Records, bench: string, figures: readonly Figure[], commit: string): Records {
  const rows = figures.flatMap(({ name, ratio }): [string, Recorded][] =>
    ratio === undefined ? [] : [[name, { ratio: Number(ratio.toFixed(4)), commit }]],
  );
  return rows.length === 0 ? records : { ...records, [bench]: Object.fromEntries(rows) };
}
