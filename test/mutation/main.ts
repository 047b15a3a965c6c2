// Takes each guard away in turn and shows which lane notices. A guard that no lane misses is a hole in the tests.
//   npm run test:mutation -- [--list] [--only NAME[,NAME]] [--commit REV]

import { parseArgs } from 'node:util';
import { apply, editsOf, type Mutation } from './mutation.js';
import { MUTATIONS } from './mutations.js';
import { Workshop } from './workshop.js';

const LANE_MS = 240_000;

const { values } = parseArgs({
  options: {
    list: { type: 'boolean' },
    only: { type: 'string' },
    commit: { type: 'string' },
    help: { type: 'boolean' },
  },
});

if (values.help) {
  console.log('npm run test:mutation -- [--list] [--only NAME[,NAME]] [--commit REV]');
  process.exit(0);
}

const asked = values.only?.split(',');
const unknown = asked?.filter((name) => !MUTATIONS.some((mutation) => mutation.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`no mutation is named ${unknown.join(', ')}; --list shows them`);
  process.exit(2);
}
const chosen = MUTATIONS.filter(({ name }) => asked === undefined || asked.includes(name));

if (values.list) {
  for (const { name, guard, guarantees } of chosen)
    console.log(`${name.padEnd(32)} ${guarantees.join(' ').padEnd(12)} ${guard}`);
  process.exit(0);
}

const workshop = new Workshop(values.commit);
const survivors: string[] = [];
try {
  await unchanged(workshop, chosen);
  for (const mutation of chosen) if (!(await isMissed(workshop, mutation))) survivors.push(mutation.name);
} finally {
  workshop.remove();
}
console.log(
  `${chosen.length} guards, ${chosen.length - survivors.length} missed when gone, ${survivors.length} survived`,
);
if (survivors.length > 0) console.log(`survived: ${survivors.join(', ')}`);
process.exitCode = survivors.length > 0 ? 1 : 0;

/** Every lane must be green before anything is changed: red proves nothing otherwise. */
async function unchanged(shop: Workshop, mutations: readonly Mutation[]): Promise<void> {
  await shop.build();
  const lanes = new Map(mutations.flatMap(({ lanes }) => lanes).map((lane) => [JSON.stringify(lane), lane]));
  for (const lane of lanes.values()) {
    const { outcome, what, seconds } = await shop.run(lane, LANE_MS);
    console.log(`  ${outcome} unchanged: ${lane.files.join(' ')} (${what}, ${seconds.toFixed(1)} s)`);
    if (outcome !== 'green') throw new Error(`${lane.files.join(' ')} is ${outcome} without any change: ${what}`);
  }
}

async function isMissed(shop: Workshop, mutation: Mutation): Promise<boolean> {
  const before = editsOf(mutation).map(({ file }) => [file, shop.read(file)] as const);
  const built = before.some(([file]) => file.endsWith('.sol'));
  try {
    for (const edit of editsOf(mutation)) {
      const applied = apply(edit, shop.read(edit.file));
      if (!applied.ok) {
        console.log(`! ${mutation.name}: ${applied.why}`);
        return false;
      }
      shop.write(edit.file, applied.text);
    }
    // Contracts are compiled; everything else runs from its sources.
    if (built) await shop.build();
    for (const lane of mutation.lanes) {
      const { outcome, what, seconds } = await shop.run(lane, LANE_MS);
      if (outcome === 'red') {
        console.log(`+ ${mutation.name}: ${lane.project} went red in ${seconds.toFixed(1)} s: ${what}`);
        return true;
      }
      if (outcome === 'broken') console.log(`  ${mutation.name}: ${lane.files.join(' ')} did not run: ${what}`);
    }
  } finally {
    for (const [file, text] of before) shop.write(file, text);
    if (built) await shop.build();
  }
  console.log(`! ${mutation.name}: NO LANE WENT RED (${mutation.guard})`);
  return false;
}
