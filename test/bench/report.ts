/** One measured figure and its goal. Milliseconds are printed; only ratios decide. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly goal?: string;
  /**
   * Relative to the baseline of the same run, more is better; compared with the recorded one
   * (`recorded-ratios.json`).
   */
  readonly ratio?: number;
  /** What the ratio is relative to, a second: distinguishes machines whose ratios cannot be compared. */
  readonly baseline?: number;
  /** False fails the run; absent: machine-dependent, printed only. */
  readonly ok?: boolean;
}

export interface Bench {
  readonly name: string;
  readonly about: string;
  run(): Promise<readonly Figure[]>;
}

export function print(bench: Bench, figures: readonly Figure[]): void {
  process.stdout.write(`\n${bench.name}: ${bench.about}\n`);
  const width = Math.max(...figures.map((figure) => figure.name.length));
  for (const { name, value, goal, ok } of figures) {
    const mark = ok === undefined ? ' ' : ok ? '+' : '!';
    process.stdout.write(`  ${mark} ${name.padEnd(width)}  ${value}${goal === undefined ? '' : `  (goal ${goal})`}\n`);
  }
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
