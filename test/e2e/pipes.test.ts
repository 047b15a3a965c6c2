import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';
import { sleep } from '../support/until.js';

const BINARY = `${ROOT}core/bin/causeway.js`;
/** Its schema is several times what a pipe takes at once. */
const SCHEMA = ['schema', 'config/local.yaml'];
const env = { ...process.env, NODE_OPTIONS: '' };

it('a command ends only when a slow reader has all that it said', async () => {
  const child = spawn(process.execPath, [BINARY, ...SCHEMA], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  child.stdout.pause();
  await sleep(3_000);
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) text += String(chunk);
  expect(await ended).toEqual([0, null]);
  expect(text.length).toBeGreaterThan(2 * 65_536);
  expect(JSON.parse(text)).toMatchObject({ title: 'Causeway configuration' });
});

it('a reader that goes early is a clean end', () => {
  const line = `set -o pipefail; '${process.execPath}' '${BINARY}' ${SCHEMA.join(' ')} 2>&1 | head -n 1`;
  expect(execFileSync('bash', ['-c', line], { cwd: ROOT, env, encoding: 'utf8' })).toBe('{\n');
});
