// Takes each guard away in turn and shows which lane notices. A guard that no lane misses is a hole in the tests.

import { parseArgs } from 'node:util';
import { CHOOSING, choose } from '../support/choose.js';
import { orUsage } from '../support/script-options.js';
import { apply, editsOf, type Lane, type Mutation } from './mutation.js';
import { MUTATIONS } from './mutations.js';
import { type Result, table } from './table.js';
import { type Verdict, Workshop } from './workshop.js';

const USAGE = `npm run test:mutation -- [options]
  --list             the guards, and what rests on them
  --only NAME,NAME   these guards alone
  --shard i/n        the i-th of n parts
  --from N           the N-th first, and those before it last
  --minutes M        takes none away after M minutes
  --commit REV       the files of a commit instead of the working tree
  --help
Ends with a table and exits with 1 when a guard survived.`;

const LANE_MS = 240_000;

const { values, chosen, until } = orUsage(USAGE, () => {
  const { values } = parseArgs({ options: { ...CHOOSING, commit: { type: 'string' } } });
  return { values, ...choose(MUTATIONS, values, 'mutation') };
});

if (values.list) {
  for (const { name, guard, guarantees } of chosen)
    console.log(`${name.padEnd(32)} ${guarantees.join(' ').padEnd(12)} ${guard}`);
  process.exit(0);
}

const workshop = new Workshop(values.commit);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    workshop.remove();
    process.exit(130);
  });
/** What each lane says while nothing is taken away: red proves nothing where it is red anyway. */
const unchanged = new Map<string, Verdict>();
const results: Result[] = [];
try {
  const problem = await workshop.generate();
  if (problem !== null) throw new Error(problem);
  for (const mutation of chosen) {
    if (performance.now() > until) break;
    const result = await isMissed(workshop, mutation);
    console.log(`${result.red ? '+' : '!'} ${mutation.name}: ${result.what} (${result.seconds.toFixed(1)} s)`);
    results.push(result);
  }
} finally {
  workshop.remove();
}
const left = chosen.length - results.length;
if (left > 0) console.log(`the time is over: ${left} guards were left as they are`);
console.log(`\n${table(results)}`);
process.exitCode = results.every(({ red }) => red) ? 0 : 1;

/** Tries lane after lane until one goes red. */
async function isMissed(shop: Workshop, mutation: Mutation): Promise<Result> {
  const began = performance.now();
  const result = (red: boolean, lane: string, what: string): Result => ({
    name: mutation.name,
    red,
    lane,
    what,
    seconds: (performance.now() - began) / 1000,
  });
  const tried: string[] = [];
  for (const lane of mutation.lanes) {
    const name = `${lane.project} ${lane.files.join(' ')}`;
    const before = await soundness(shop, lane, name);
    if (before.outcome !== 'green')
      return result(false, lane.project, `${name} is ${before.outcome} without any change: ${before.what}`);
    const { outcome, what } = await without(shop, mutation, () => shop.run(lane, LANE_MS));
    if (outcome === 'red') return result(true, lane.project, what);
    tried.push(outcome === 'green' ? `${name} is green` : `${name} did not run: ${what}`);
  }
  return result(false, mutation.lanes.map(({ project }) => project).join(' '), tried.join(', '));
}

async function soundness(shop: Workshop, lane: Lane, name: string): Promise<Verdict> {
  const known = unchanged.get(name);
  if (known) return known;
  const verdict = await shop.run(lane, LANE_MS);
  console.log(`  ${verdict.outcome} unchanged: ${name} (${verdict.what}, ${verdict.seconds.toFixed(1)} s)`);
  unchanged.set(name, verdict);
  return verdict;
}

/** Runs something while a guard is gone. */
async function without(shop: Workshop, mutation: Mutation, run: () => Promise<Verdict>): Promise<Verdict> {
  const before = editsOf(mutation).map(({ file }) => [file, shop.read(file)] as const);
  // Contracts are compiled; everything else runs from its sources.
  const compiled = before.some(([file]) => file.endsWith('.sol'));
  try {
    for (const edit of editsOf(mutation)) {
      const applied = apply(edit, shop.read(edit.file));
      if (!applied.ok) return { outcome: 'broken', what: applied.why, seconds: 0 };
      shop.write(edit.file, applied.text);
    }
    const problem = compiled ? await shop.generate() : null;
    return problem === null ? await run() : { outcome: 'broken', what: problem, seconds: 0 };
  } finally {
    // Backwards: a file that was changed twice is put back as it was at first.
    for (const [file, text] of before.reverse()) shop.write(file, text);
    if (compiled) await shop.generate();
  }
}
