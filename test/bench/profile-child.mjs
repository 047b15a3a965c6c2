// Loaded into a process by `NODE_OPTIONS=--import`, which takes no `--cpu-prof`. Samples from SIGUSR2 to the end.
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

const folder = process.env.BENCH_PROFILE;
const SAMPLE_US = 500;

process.once('SIGUSR2', () => {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  session.post('Profiler.start');
  process.once('exit', () => {
    session.post('Profiler.stop', (error, result) => {
      if (error || folder === undefined) return;
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${process.pid}.cpuprofile`), JSON.stringify(result.profile));
    });
  });
});
