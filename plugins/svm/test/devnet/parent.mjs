// Starts a node without a channel, prints its process id, and lives until it is killed.
import { spawn } from 'node:child_process';

const [script, config] = process.argv.slice(2);
const child = spawn(process.execPath, [script, config], { stdio: ['ignore', 'pipe', 'inherit'] });
child.stdout.once('data', () => process.stdout.write(`${child.pid}\n`));
setInterval(() => {}, 1_000);
