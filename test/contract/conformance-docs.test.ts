import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/repository.js';

const run = promisify(execFile);
const text = readFileSync(`${ROOT}core/docs/conformance.md`, 'utf8');
const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? '');

function execute(code: string): Promise<{ stdout: string }> {
  const flags = ['--conditions=@causeway/source', '--import', 'tsx', '--input-type=module', '-e', code];
  return run(process.execPath, flags, { cwd: ROOT, env: { ...process.env, NODE_OPTIONS: '' }, timeout: 50_000 });
}

describe('core/docs/conformance.md', () => {
  it('has a script of ten lines that prints a report', async () => {
    const [script = ''] = blocks;
    expect(script.trim().split('\n').length).toBeLessThanOrEqual(10);
    const { stdout } = await execute(script);
    expect(stdout).toMatch(/^chain adapter: my chain\n/);
    expect(stdout).toMatch(/\n\d{2,} passed, 0 failed, \d+ not applicable; \d+ ms\n$/);
  });

  it('has a test per case that passes', async () => {
    const [, test = ''] = blocks;
    const { stdout } = await execute(test);
    expect(stdout).toMatch(/my chain keeps/);
    expect(stdout).toMatch(/# pass [1-9]|ℹ pass [1-9]/);
    expect(stdout).toMatch(/# fail 0|ℹ fail 0/);
  });

  it('shows no other code that nothing runs', () => {
    expect(blocks).toHaveLength(2);
    expect([...text.matchAll(/^```(?!js$)\w+/gm)]).toEqual([]);
  });
});
