import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { depositAddresses, depository, fillRouter, swapEntry } from '../../src/generated/contracts.js';

const script = fileURLToPath(new URL('../../scripts/build-contracts.mjs', import.meta.url));
const generated = fileURLToPath(new URL('../../src/generated/contracts.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'causeway-contracts-'));

describe('the contract build', () => {
  afterAll(() => rmSync(folder, { recursive: true }));

  it('gives the same bytes each time, and skips what is unchanged', () => {
    const target = join(folder, 'contracts.ts');
    const build = () => execFileSync(process.execPath, [script, target], { encoding: 'utf8' });
    expect(build()).toContain('compiled');
    expect(readFileSync(target, 'utf8')).toBe(readFileSync(generated, 'utf8'));
    const { mtimeMs } = statSync(target);
    expect(build()).toContain('unchanged');
    expect(statSync(target).mtimeMs).toBe(mtimeMs);
    // The compiler alone takes a minute on a machine under load.
  }, 180_000);

  it('leaves no trace of the compiler or of absolute paths in the code', () => {
    for (const { bytecode } of [depository, fillRouter, swapEntry, depositAddresses]) {
      // "ipfs", "solc" and "bzzr" in a metadata trailer.
      expect(bytecode).not.toMatch(/64697066735822|64736f6c6343|65627a7a72/);
    }
  });

  it('keeps the contracts well under the size limit', () => {
    for (const { bytecode } of [depository, fillRouter, swapEntry, depositAddresses])
      expect(bytecode.length / 2).toBeLessThan(12_000);
  });
});
