// Plays the conformance kit against adapters with one mistake each. An uncaught one is a gap in the kit.

import { parseArgs } from 'node:util';
import { CHOOSING, choose } from '../support/choose.js';
import { orUsage } from '../support/script-options.js';
import { Kit } from './kit.js';
import { MUTANTS } from './mutants.js';
import { isWrong, type Verdict, verdictOf, verdictTable } from './verdict.js';

const USAGE = `npm run test:mutants -- [options]
  --list             the mutants, and what they would cost
  --only NAME,NAME   these alone
  --shard i/n        the i-th of n parts
  --from N           the N-th first, and those before it last
  --minutes M        begins none after M minutes
  --help
Ends with a table and exits with 1 when a mutant survived that is not listed as harmless, or one is caught that is.`;

const { values, chosen, until } = orUsage(USAGE, () => {
  const { values } = parseArgs({ options: { ...CHOOSING } });
  return { values, ...choose(MUTANTS, values, 'mutant') };
});

if (values.list) {
  for (const { name, method, cost } of chosen) console.log(`${name.padEnd(28)} ${method.padEnd(28)} ${cost}`);
  process.exit(0);
}

const kit = new Kit();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    kit.close();
    process.exit(130);
  });
const verdicts: Verdict[] = [];
try {
  const began = performance.now();
  const sound = await kit.play();
  // Without mutants the kit must pass.
  if ('broken' in sound) throw new Error(`the kit does not run: ${sound.broken}`);
  if (sound.failed !== null) throw new Error(`without any mutant: ${sound.failed.name}: ${sound.failed.reason}`);
  console.log(`  ${sound.ran} cases pass without any mutant (${seconds(began).toFixed(1)} s)`);
  for (const mutant of chosen) {
    if (performance.now() > until) break;
    const from = performance.now();
    const verdict = verdictOf(mutant, await kit.play(mutant), seconds(from));
    verdicts.push(verdict);
    const { fate, by } = verdict;
    const place = `${verdicts.length}/${chosen.length}`;
    console.log(
      `${isWrong(verdict) ? '!' : '+'} ${place} ${mutant.name}: ${fate}, ${by} (${verdict.seconds.toFixed(1)} s)`,
    );
  }
} finally {
  kit.close();
}
const left = chosen.length - verdicts.length;
if (left > 0) console.log(`the time is over: ${left} mutants were left out`);
console.log(`\n${verdictTable(verdicts)}`);
process.exitCode = verdicts.some(isWrong) ? 1 : 0;

function seconds(from: number): number {
  return (performance.now() - from) / 1000;
}
