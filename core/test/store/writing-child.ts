import { changeSet, eventRow, insert, legRow, move, requestRow } from '../../src/testing/store-fixtures.js';
import { storeOn } from './sqlite-harness.js';

/**
 * Opens the named store, prints `open` or the error, then writes numbered change sets, eight at a time, and prints
 * each number when answered, until killed.
 */
const [, , file = '', first = '1'] = process.argv;
/** Waits on a full pipe. */
const say = (text: string) => new Promise((resolve) => process.stdout.write(`${text}\n`, resolve));

const store = storeOn(file);
try {
  await store.open();
} catch (error) {
  await say(`refused ${(error as Error).name}: ${(error as Error).message}`);
  process.exit(3);
}
await say('open');
let next = Number(first);
await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (;;) {
      const n = next;
      next += 1;
      const outcome = await store.apply(
        changeSet(
          insert('requests', requestRow(n)),
          insert('legs', legRow(n)),
          insert('events', eventRow(n)),
          move(`group-${n}`, 'from', 'to', 1n),
          { op: 'count', account: '#sets', by: 1n },
        ),
      );
      if (!outcome.ok) throw new Error(JSON.stringify(outcome));
      await say(String(n));
    }
  }),
);
