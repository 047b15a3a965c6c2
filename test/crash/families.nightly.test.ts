import { describe, expect, it } from 'vitest';
import { lacks } from '../../plugins/bvm/test/support/have-node.js';
import { bvmFlows } from './families/bvm.js';
import { type FamilyOptions, killFamilies } from './families/matrix.js';
import { TON_FLOWS } from './families/ton.js';
import { shuffle } from './record.js';
import { summaryLines } from './report.js';

/** For `npm test`, dry runs included; the whole is `npm run test:crash -- --families`. */
const BOX_MS = 10_000;
const PAIRS = 2;

async function mustHold(options: Pick<FamilyOptions, 'stage' | 'flow'>): Promise<void> {
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  const summary = await killFamilies({ ...options, ms: BOX_MS, pairs: PAIRS, say });
  process.stdout.write(`${summaryLines(summary).join('\n')}\n`);
  expect(summary.violations, lines.join('\n')).toEqual([]);
  expect(summary.unknown).toEqual([]);
  expect(summary.kills).toBeGreaterThan(0);
}

function drawn(flows: readonly { readonly name: string }[]): string {
  const [first] = flows.map(({ name }) => name).sort((a, b) => (shuffle(a) < shuffle(b) ? -1 : 1));
  if (first === undefined) throw new Error('no flows');
  return first;
}

describe('kill -9 where one family pays for another, a restart, and nothing is lost or doubled', () => {
  it('between contracts and accounts', { timeout: BOX_MS * 15 }, async () => {
    await mustHold({ stage: 'svm', flow: 'refund' });
  });

  it.skipIf(lacks('bitcoin'))('between contracts and outputs', { timeout: BOX_MS * 15 }, async () => {
    await mustHold({ stage: 'bitcoin', flow: drawn(bvmFlows('bitcoin')) });
  });

  // Jettons of a notice are booked after more than a minute, and the verdict waits for them.
  it(
    'between contracts and wallets of messages',
    () => mustHold({ stage: 'ton', flow: drawn(TON_FLOWS) }),
    BOX_MS * 45,
  );
});
