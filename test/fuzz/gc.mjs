// Loaded before the service: on SIGUSR2 the process collects its garbage and says what is left.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  // Twice, and a turn apart: finalizers of the first round let go of what the second takes.
  collect();
  setTimeout(() => {
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.stderr.write(`memory ${JSON.stringify({ heap: heapUsed, external, rss })}\n`);
  }, 100);
});
