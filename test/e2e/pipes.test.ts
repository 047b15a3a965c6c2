import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';

const BINARY = `${ROOT}core/bin/causeway.js`;
/** Several times the capacity of a pipe. */
const SCHEMA = ['schema', 'config/local.yaml'];
const env = { ...process.env, NODE_OPTIONS: '' };

/** Output of a shell with `pipefail`. */
function piped(reader: string): string {
  const line = `set -o pipefail; '${process.execPath}' '${BINARY}' ${SCHEMA.join(' ')} 2>&1 | ${reader}`;
  return execFileSync('bash', ['-c', line], { cwd: ROOT, env, encoding: 'utf8', maxBuffer: 10_000_000 });
}

it('a command ends only when a slow reader has all that it said', () => {
  const text = piped('(sleep 3; cat)');
  expect(text.length).toBeGreaterThan(2 * 65_536);
  expect(JSON.parse(text)).toMatchObject({ title: 'Causeway configuration' });
});

it('a reader that goes early is a clean end', () => {
  expect(piped('head -n 1')).toBe('{\n');
});
