import type { Summary } from './matrix.js';

export function summaryLines(summary: Summary): readonly string[] {
  const { pairs, reached, kills, second, violations, meanMs, missed, unknown, unreached } = summary;
  const mean = (meanMs / 1000).toFixed(2);
  return [
    `${pairs} pairs of ${reached} reached, ${kills} kills (${second} plays killed twice), ${violations.length} violations, mean ${mean} s a pair`,
    ...missed.map((name) => `not passed this time: ${name}`),
    ...unknown.map((point) => `reached, but not known or listed as never reached: ${point}`),
    ...unreached.map((point) => `reached by no flow: ${point}`),
    ...violations.flatMap(({ play, what }) => [`VIOLATION ${play}`, ...what.map((line) => `  ${line}`)]),
  ];
}
