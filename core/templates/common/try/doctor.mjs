// Runs `causeway doctor` on solver.yaml. Keys that are missing in the environment are generated for this run only.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const config = new URL('solver.yaml', import.meta.url);
const causeway = new URL('bin/causeway.js', import.meta.resolve('@causeway/core/package.json'));
const names = [...readFileSync(config, 'utf8').matchAll(/env:(\w+)/g)].map(([, name]) => name);
const keys = Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('hex')]));
const { status } = spawnSync(process.execPath, [fileURLToPath(causeway), 'doctor', fileURLToPath(config)], {
  env: { ...keys, ...process.env },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
