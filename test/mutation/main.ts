// Removes one guard at a time and shows which lane fails. A guard that no lane misses is a hole in the tests.

import { parseArgs } from 'node:util';
import { CHOOSING, choose } from '../support/choose.js';
import { orUsage } from '../support/script-options.js';
import type { Guard, Lane } from './guard.js';
import { GUARDS } from './guards.js';
import { markersOf, without } from './markers.js';
import { type Result, table } from './table.js';
import { type Verdict, Workshop } from './workshop.js';

const USAGE = `npm run test:mutation -- [options]
  --list             the guards, and what rests on them
  --only NAME,NAME   these guards alone
  --shard i/n        the i-th of n parts
  --from N           the N-th first, and those before it last
  --minutes M        begins with no guard after M minutes
  --commit REV       the files of a commit instead of the working tree
  --help
Ends with a table and exits with 1 when a guard survived.`;

const LANE_MS = 240_000;

const { values, chosen, until } = orUsage(USAGE, () => {
  const { values } = parseArgs({ options: { ...CHOOSING, commit: { type: 'string' } } });
  return { values, ...choose(GUARDS, values, 'guard') };
});

if (values.list) {
  for (const { name, guard, guarantees = [], threats = [] } of chosen) {
    const rests = [...guarantees, ...threats.map((threat) => `t${threat}`)].join(' ');
    console.log(`${name.padEnd(30)} ${rests.padEnd(16)} ${guard}`);
  }
  process.exit(0);
}

const workshop = new Workshop(values.commit);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    workshop.remove();
    process.exit(130);
  });
const markers = workshop.product().flatMap((file) => markersOf(file, workshop.read(file)));
/** What each lane says with every guard in place: red proves nothing where it is red anyway. */
const unchanged = new Map<string, Verdict>();
const results: Result[] = [];
try {
  const problem = await workshop.generate();
  if (problem !== null) throw new Error(problem);
  for (const guard of chosen) {
    if (performance.now() > until) break;
    const result = await isMissed(guard);
    console.log(`${result.red ? '+' : '!'} ${guard.name}: ${result.what} (${result.seconds.toFixed(1)} s)`);
    results.push(result);
  }
} finally {
  workshop.remove();
}
const left = chosen.length - results.length;
if (left > 0) console.log(`the time is over: ${left} guards were not removed`);
console.log(`\n${table(results)}`);
process.exitCode = results.every(({ red }) => red) ? 0 : 1;

/** Tries lane after lane until one goes red. */
async function isMissed(guard: Guard): Promise<Result> {
  const began = performance.now();
  const result = (red: boolean, lane: string, what: string): Result => ({
    name: guard.name,
    red,
    lane,
    what,
    seconds: (performance.now() - began) / 1000,
  });
  const tried: string[] = [];
  for (const lane of guard.lanes) {
    const name = `${lane.project} ${lane.files.join(' ')}`;
    const before = await soundness(lane, name);
    if (before.outcome !== 'green')
      return result(false, lane.project, `${name} is ${before.outcome} without any change: ${before.what}`);
    const { outcome, what } = await removed(guard, () => workshop.run(lane, LANE_MS));
    if (outcome === 'red') return result(true, lane.project, what);
    tried.push(outcome === 'green' ? `${name} is green` : `${name} did not run: ${what}`);
  }
  return result(false, guard.lanes.map(({ project }) => project).join(' '), tried.join(', '));
}

async function soundness(lane: Lane, name: string): Promise<Verdict> {
  const known = unchanged.get(name);
  if (known) return known;
  const verdict = await workshop.run(lane, LANE_MS);
  console.log(`  ${verdict.outcome} unchanged: ${name} (${verdict.what}, ${verdict.seconds.toFixed(1)} s)`);
  unchanged.set(name, verdict);
  return verdict;
}

/** Runs something while a guard is missing at all its places. */
async function removed({ name, how }: Guard, run: () => Promise<Verdict>): Promise<Verdict> {
  const broken = (what: string): Verdict => ({ outcome: 'broken', what, seconds: 0 });
  const places = markers.filter((marker) => marker.name === name);
  if (places.length === 0) return broken(`nothing is marked with ${name}`);
  const before = new Map(places.map(({ file }) => [file, workshop.read(file)]));
  // Contracts are compiled; everything else runs from its sources.
  const compiled = places.some(({ file }) => file.endsWith('.sol'));
  try {
    for (const [file, text] of before) {
      const here = places.filter((marker) => marker.file === file);
      const changed = without(how, here, text);
      if (!changed.ok) return broken(changed.why);
      workshop.write(file, changed.text);
    }
    const problem = compiled ? await workshop.generate() : null;
    return problem === null ? await run() : broken(problem);
  } finally {
    for (const [file, text] of before) workshop.write(file, text);
    if (compiled) await workshop.generate();
  }
}
