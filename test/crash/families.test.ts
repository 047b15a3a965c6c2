import { expect, it } from 'vitest';
import { killFamilies } from './families/matrix.js';
import { summaryLines } from './report.js';

/** Of `npm test`, dry runs included; all of it is `npm run test:crash -- --families`. */
const BOX_MS = 20_000;

it('kill -9 where one family pays for another, a restart, and nothing is lost or doubled', {
  timeout: BOX_MS * 10,
}, async () => {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  // A refund meets the adapter most: a deposit is read, and what leaves the vault is checked, signed, sent and looked at.
  const summary = await killFamilies({ ms: BOX_MS, flow: 'refund', pairs: 3, say });
  process.stdout.write(`${summaryLines(summary).join('\n')}\n`);
  expect(summary.violations, lines.join('\n')).toEqual([]);
  expect(summary.kills).toBeGreaterThan(0);
});
