import 'reflect-metadata';
import { runCli } from './cli/index.js';

// Whoever read our output may go before we do; draining matters more than what we say meanwhile.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.exitCode = await runCli(process.argv.slice(2));
// Something a plugin left behind must not keep a finished command alive.
process.exit();
