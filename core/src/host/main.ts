import 'reflect-metadata';
import { runCli } from './cli/index.js';

process.exitCode = await runCli(process.argv.slice(2));
// Something a plugin left behind must not keep a finished command alive.
process.exit();
