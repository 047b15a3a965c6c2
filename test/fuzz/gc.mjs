// Preloaded: on SIGUSR2 the process collects its garbage and reports memory.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  // Twice, a turn apart: finalizers of the first round release what the second collects.
  collect();
  setTimeout(() => {
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.stderr.write(`memory ${JSON.stringify({ heap: heapUsed, external, rss })}\n`);
  }, 100);
});
