import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { withoutKnownWarning } from '../src/pure-bigint.js';

afterEach(() => vi.restoreAllMocks());

function printedBy(entry: string): string {
  const url = new URL(`../src/${entry}`, import.meta.url).href;
  const flags = ['--import', 'tsx', '--conditions=@causeway/source', '--input-type=module'];
  const ran = spawnSync(process.execPath, [...flags, '--eval', `await import('${url}'); console.log('loaded')`], {
    encoding: 'utf8',
  });
  return ran.stdout + ran.stderr;
}

describe('loading the plugin', () => {
  it.each(['index.ts', 'devnet/index.ts'])('prints nothing: %s', { timeout: 60_000 }, (entry) => {
    expect(printedBy(entry)).toBe('loaded\n');
  });

  it('leaves out the one known line and no other warning, and only while it loads', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const before = console.warn;
    withoutKnownWarning(() => {
      console.warn('bigint: Failed to load bindings, pure JS will be used (try npm run rebuild?)');
      console.warn('another', 1);
    });
    expect(warn.mock.calls).toEqual([['another', 1]]);
    expect(() =>
      withoutKnownWarning(() => {
        throw new Error('cannot load');
      }),
    ).toThrow('cannot load');
    expect(console.warn).toBe(before);
  });
});
