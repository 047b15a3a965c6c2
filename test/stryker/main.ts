// Lets Stryker change the money path in ways that no guard of test/mutation names, and lists what no test notices.

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/repository.js';
import { orUsage, wholeOption } from '../support/script-options.js';
import { BATCHES } from './batches.js';
import { lineOf, type Outcome, PREFIX, summary } from './outcome.js';

const USAGE = `npm run test:stryker -- [options]
  --list             the batches of files
  --batch N          the N-th of them, counted round (default 0)
  --file PATH        this file alone
  --minutes M        ends after M minutes, with what was tried until then
  --help
Lists the changes that no test noticed: each is a test to write, or means nothing. Exits with 1 when nothing could be tried.`;

const { list, files, ms } = orUsage(USAGE, () => {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean', default: false },
      batch: { type: 'string', default: '0' },
      file: { type: 'string' },
      minutes: { type: 'string' },
    },
  });
  const batch = BATCHES[wholeOption('batch', values.batch) % BATCHES.length] ?? [];
  return {
    list: values.list,
    files: values.file === undefined ? batch : [values.file],
    ms: values.minutes === undefined ? undefined : wholeOption('minutes', values.minutes, 1) * 60_000,
  };
});

if (list) {
  for (const [at, batch] of BATCHES.entries()) console.log(`${at}: ${batch.join(' ')}`);
  process.exit(0);
}

const args = ['--no-install', 'stryker', 'run', 'test/stryker/stryker.config.json', '--mutate', files.join(',')];
// A group of its own, so that its test processes end with it.
const child = spawn('npx', args, { cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
const end = (): void => {
  if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
};
let isOver = false;
const timer =
  ms === undefined
    ? undefined
    : setTimeout(() => {
        isOver = true;
        end();
      }, ms);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);

const outcomes: Outcome[] = [];
let rest = '';
child.stdout.setEncoding('utf8').on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    if (!line.startsWith(PREFIX)) {
      if (line !== '') console.log(line);
      continue;
    }
    const outcome = JSON.parse(line.slice(PREFIX.length)) as Outcome;
    outcomes.push(outcome);
    if (outcome.status === 'Survived') console.log(lineOf(outcome));
  }
});
const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
clearTimeout(timer);
rmSync(`${ROOT}.stryker-tmp`, { recursive: true, force: true });
if (isOver) console.log('the time is over');
console.log(summary(outcomes));
process.exitCode = (code === 0 || isOver) && outcomes.length > 0 ? 0 : 1;
