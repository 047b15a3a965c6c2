import { type ChildProcess, spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { orUsage, UsageError, wholeOption } from '../support/script-options.js';
import { asJudged, type Count, countOf, type Part, partsOf, sum } from './parts.js';

const DAY_MS = 86_400_000;
const HELP = `npm run test:nightly -- [options]

All that is too long for every change: the whole lanes, new seeds, whole kill matrices, every guard taken away, every mutant.

  --only PART,PART   these parts alone
  --seed S           draws what is drawn (default: the day)
  --seeds N          seeds of the simulation (default 10000)
  --requests N       requests of the fuzzing (default 100000)
  --minutes M        shared by the simulation, the kill matrices, the guards and the mutants, which else take all day on two cores: pairs
                     that failed or never ran come first, and guards from where the seed says
  --list             the parts, and what they run
  --help

Ends with \`N passed, N failed, N skipped\`, and with 1 when anything failed; with CI=true what is skipped has failed. Ctrl-C ends the part that runs, and with it the night.
`;

const { values, parts } = orUsage(HELP, () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      seed: { type: 'string', default: String(Math.floor(Date.now() / DAY_MS)) },
      seeds: { type: 'string', default: '10000' },
      requests: { type: 'string', default: '100000' },
      minutes: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  });
  const whole = (name: 'seed' | 'seeds' | 'requests' | 'minutes') => wholeOption(name, values[name] ?? '');
  const minutes = values.minutes === undefined ? {} : { minutes: whole('minutes') };
  const all = partsOf({ seed: whole('seed'), seeds: whole('seeds'), requests: whole('requests'), ...minutes });
  const asked = values.only?.split(',');
  const odd = asked?.filter((name) => !all.some((part) => part.name === name)) ?? [];
  if (odd.length > 0)
    throw new UsageError(`there is no part ${odd.join(', ')}; parts are ${all.map(({ name }) => name).join(', ')}`);
  return { values, parts: all.filter(({ name }) => asked === undefined || asked.includes(name)) };
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

let running: ChildProcess | undefined;
let interrupted = false;
// A part is its own process group, so that each process gets a signal once.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    interrupted = true;
    if (running?.pid !== undefined) process.kill(-running.pid, signal);
  });

async function play(part: Part): Promise<Count> {
  const [program, ...args] = part.command;
  const env = { ...process.env, ...part.env };
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true, env });
  running = child;
  const output: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.push(text);
    process.stdout.write(text);
  });
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
    child.on('error', (error) => {
      process.stderr.write(`${part.name} does not start: ${error.message}\n`);
      resolve(null);
    });
  });
  running = undefined;
  return countOf(part, output.join(''), code);
}

/** As typed in a shell. */
const commandOf = ({ command: [program, ...args], env = {} }: Part): string =>
  [
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    program === process.execPath ? 'node' : program,
    ...args,
  ].join(' ');
const minutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} min`;
const words = ({ passed, failed, skipped }: Count): string => `${passed} passed, ${failed} failed, ${skipped} skipped`;

async function night(parts: readonly Part[]): Promise<Count> {
  const counts: { readonly name: string; readonly count: Count; readonly ms: number }[] = [];
  for (const [at, part] of parts.entries()) {
    if (interrupted) break;
    say(`\n== ${part.name} (${at + 1} of ${parts.length}): ${part.what}\n   ${commandOf(part)}`);
    const began = performance.now();
    const count = await play(part);
    const ms = performance.now() - began;
    say(`-- ${part.name}: ${words(count)} (${minutes(ms)})`);
    counts.push({ name: part.name, count, ms });
  }
  say('\n== result');
  for (const { name, count, ms } of counts) say(`${name.padEnd(16)} ${minutes(ms).padStart(10)}  ${words(count)}`);
  const all = sum(counts.map(({ count }) => count));
  const missing = parts.length - counts.length;
  if (missing > 0) say(`interrupted: ${missing} parts did not run`);
  return asJudged({ ...all, failed: all.failed + missing }, process.env['CI'] === 'true');
}

if (values.list) for (const part of parts) say(`${part.name.padEnd(16)} ${part.what}: ${commandOf(part)}`);
else {
  say(`seed ${values.seed}`);
  const total = await night(parts);
  say(words(total));
  process.exitCode = total.failed > 0 ? 1 : 0;
}
