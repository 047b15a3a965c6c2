/** The result for one guard that was removed. */
export interface Result {
  readonly name: string;
  readonly red: boolean;
  /** The project that went red; all that were tried where none did. */
  readonly lane: string;
  /** The first test that failed, with its file; or why the guard counts as survived. */
  readonly what: string;
  /** For this guard, with the first unchanged run of each lane that no earlier guard needed. */
  readonly seconds: number;
}

const HEAD = ['guard', 'verdict', 'seconds', 'lane', 'red by'] as const;

/** One row per guard, and a last line to grep for. */
export function table(results: readonly Result[]): string {
  const rows = results.map(({ name, red, seconds, lane, what }) => [
    name,
    red ? 'red' : 'SURVIVED',
    seconds.toFixed(1),
    lane,
    what.replaceAll(/\s+/g, ' ').slice(0, 200),
  ]);
  const widths = HEAD.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  const red = results.filter((result) => result.red).length;
  return [
    line(HEAD),
    ...rows.map(line),
    '',
    `${results.length} guards, ${red} red, ${results.length - red} survived`,
  ].join('\n');
}
