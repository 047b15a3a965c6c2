import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT, repositoryFiles } from '../support/repository.js';

const CODE = /\.(ts|js|cjs|mjs|sol)$/;
const lines = (text: string) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

describe('files', () => {
  const product = repositoryFiles(/^(core|plugins\/[^/]+)\/(src|contracts)\//).filter((file) => CODE.test(file.path));

  it('are one concept each: median at most 80 lines', () => {
    const sizes = product.map((file) => lines(file.text)).sort((a, b) => a - b);
    expect(sizes.length).toBeGreaterThan(40);
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(80);
  });

  it('never pass 500 lines', () => {
    const long = repositoryFiles(CODE)
      .map((file) => ({ path: file.path, lines: lines(file.text) }))
      .filter((file) => file.lines > 500);
    expect(long).toEqual([]);
  });

  it('export names, not defaults', () => {
    const found = repositoryFiles(/\.ts$/)
      .filter((file) => !file.path.endsWith('.config.ts') && /^export default /m.test(file.text))
      .map((file) => file.path);
    expect(found).toEqual([]);
  });
});

describe('the repository', () => {
  const text = repositoryFiles(/\.(ts|js|cjs|json|ya?ml|md|sol|sh)$|^\.ci\/|^LICENSE$/);

  it('holds no absolute path of a developer machine', () => {
    const pattern = /(^|[\s"'`(=:])\/(home|root|Users|work|tmp|var|opt)\/[\w.-]+/m;
    const found = text.filter((file) => pattern.test(file.text)).map((file) => file.path);
    expect(found).toEqual([]);
  });

  it('names no registry host in the lockfile', () => {
    const lock = readFileSync(`${ROOT}package-lock.json`, 'utf8');
    const { packages } = JSON.parse(lock) as { packages: Record<string, { resolved?: string; link?: boolean }> };
    const remote = Object.entries(packages).filter(([, entry]) => entry.resolved !== undefined && !entry.link);
    expect(remote).toEqual([]);
    expect(lock.match(/https?:\/\/[^"]*(registry|npmjs)[^"]*/g) ?? []).toEqual([]);
  });

  it('approves every install script by name', () => {
    const lock = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean; optional?: boolean }>;
    };
    const root = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { allowScripts: Record<string, boolean> };
    const unreviewed = Object.entries(lock.packages)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
      .filter((name) => !(name in root.allowScripts));
    expect(unreviewed).toEqual([]);
  });
});
