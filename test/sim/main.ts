import { execFileSync } from 'node:child_process';
import { drawScenario, type RunResult, SimulationReport, shrink, simulate } from '@causeway/core/testing';
import { orUsage } from '../support/script-options.js';
import { keep, keptScenario } from './kept.js';
import { replayCommand, type SimOptions, simOptions, USAGE } from './options.js';
import { runKept, runSeeds } from './run-seeds.js';
import { inWorker, work } from './worker.js';

const PROGRESS_MS = 2_000;

let interrupted = false;

async function one(seed: number, { kept, keep: why, trace, shrink: smaller, profile }: SimOptions): Promise<number> {
  const scenario = kept ? keptScenario(seed) : drawScenario(seed, profile);
  if (why !== null)
    keep(scenario, why, execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim());
  const run = await simulate(scenario, { trace });
  if (trace) process.stdout.write(`${run.trace.join('\n')}\n`);
  const report = new SimulationReport();
  report.add(run, kept ? 'kept' : 'drawn');
  process.stdout.write(`${report.text((each, from) => replayCommand(each, from, profile))}\ntrace ${run.digest}\n`);
  if (smaller && run.violations.length > 0) {
    const rule = run.violations[0]?.rule;
    const least = await shrink(scenario, async (candidate) =>
      (await simulate(candidate)).violations.some((violation) => violation.rule === rule),
    );
    const again = await simulate(least, { trace: true });
    process.stdout.write(`smallest scenario with ${rule}:\n${JSON.stringify(least, null, 1)}\n`);
    process.stdout.write(`${again.trace.join('\n')}\n`);
    for (const { rule: name, message, at } of again.violations)
      process.stdout.write(`at ${at} ms, ${name}: ${message}\n`);
  }
  return run.violations.length;
}

async function many(options: SimOptions): Promise<number> {
  const report = new SimulationReport();
  const began = performance.now();
  const deadline = options.minutes === null ? Number.POSITIVE_INFINITY : began + options.minutes * 60_000;
  const until = (): boolean => interrupted || performance.now() > deadline;
  let reported = began;
  const done = (run: RunResult): void => {
    report.add(run);
    if (run.violations.length > 0) {
      process.stderr.write(`seed ${run.seed} failed: ${run.violations[0]?.rule}: ${run.violations[0]?.message}\n`);
    }
    if (performance.now() - reported < PROGRESS_MS) return;
    reported = performance.now();
    const rate = (report.seeds * 1_000) / (reported - began);
    process.stderr.write(`${report.summary()}, ${rate.toFixed(1)} seeds a second\n`);
  };
  await runKept(report);
  const { workers, from, seeds, profile } = options;
  const share = (n: number): number => Math.floor(seeds / workers) + (n < seeds % workers ? 1 : 0);
  const others = Array.from({ length: workers - 1 }, (_, n) =>
    inWorker(
      new URL(import.meta.url),
      { from: from + n + 1, seeds: share(n + 1), stride: workers, profile },
      until,
      done,
    ),
  );
  const own = runSeeds({ from, seeds: share(0), stride: workers, profile, until, done });
  // Concurrently, so that a failing worker ends the run immediately.
  await Promise.all([own, ...others]);
  process.stdout.write(`${report.text((seed, source) => replayCommand(seed, source, profile))}\n`);
  const seconds = (performance.now() - began) / 1_000;
  process.stdout.write(`${(report.seeds / seconds).toFixed(1)} seeds a second over ${Math.round(seconds)} s\n`);
  if (interrupted) process.stdout.write('interrupted\n');
  return report.violations;
}

// Ctrl-C reaches the whole process group: a worker leaves the end to its parent.
process.on('SIGINT', () => {
  if (interrupted) process.exit(130);
  interrupted = true;
});
if (process.argv.includes('--worker')) {
  await work();
} else {
  const options = orUsage(USAGE, () => simOptions(process.argv.slice(2)));
  const violations = options.seed === null ? await many(options) : await one(options.seed, options);
  process.exitCode = violations > 0 ? 1 : 0;
}
