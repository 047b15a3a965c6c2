import 'reflect-metadata';
import { runCli } from './cli/index.js';

// The reader of the output may end first; draining continues.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

void run();

async function run(): Promise<void> {
  process.exitCode = await runCli(process.argv.slice(2));
  // A pipe buffers 64 KiB; wait for its reader.
  await Promise.all([process.stdout, process.stderr].map(flushed));
  // Handles left open by a plugin must not keep a finished command alive.
  process.exit();
}

/** Resolves when all output is read, or its reader has ended. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}
