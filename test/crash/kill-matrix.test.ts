import { expect, it } from 'vitest';
import { AT_NIGHT } from '../support/at-night.js';
import { killMatrix } from './matrix.js';
import { summaryLines } from './report.js';

/** Of this file; the whole matrix is `npm run test:crash`. */
const BOX_MS = AT_NIGHT ? 30_000 : 8_000;
/** Flows of the gate, others with each commit; this many pairs are killed in any case. */
const IN_GATE = AT_NIGHT ? {} : { sample: 2, least: 4 };

const TIMEOUT_MS = 300_000;

it('kill -9 at any point, a restart, and nothing is lost or doubled', { timeout: TIMEOUT_MS }, async () => {
  const lines: string[] = [];
  const summary = await killMatrix({ ...IN_GATE, ms: BOX_MS, secondEvery: 5, say: (line) => lines.push(line) });
  process.stdout.write(`${summaryLines(summary).join('\n')}\n`);
  expect(summary.violations, lines.join('\n')).toEqual([]);
  // Each external call of the code is reached by some flow (all flows run at night only), and every reached point is
  // in the code.
  expect(summary.unknown).toEqual([]);
  expect(summary.unreached).toEqual([]);
  expect(summary.kills).toBeGreaterThan(0);
});
