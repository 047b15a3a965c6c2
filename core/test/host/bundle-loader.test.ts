import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type Home, newHome } from './home.js';

interface Loader {
  openBundle(
    url: string,
    digest: string,
    urls: ReadonlyMap<string, string>,
  ): { load(name: string): unknown; keepCode(): void };
}

const { openBundle } = (await import(new URL('../../bundle-loader.mjs', import.meta.url).href)) as Loader;

afterEach(() => {
  delete (globalThis as Record<symbol, unknown>)[Symbol.for('causeway.bundle')];
});

/** Writes a bundle of one module and opens it. */
function bundleOf(home: Home, answer: string, digest: string) {
  home.write('modules.cjs', `(function (exports) {exports.modules = { main: () => '${answer}' };\n})`);
  return openBundle(pathToFileURL(`${home.dir}/`).href, digest, new Map());
}

function keptCode(home: Home): string {
  const files = readdirSync(home.dir).filter((name) => name.includes('.code'));
  expect(files).toHaveLength(1);
  return home.path(files[0] as string);
}

describe('compiled code of the bundle', () => {
  it('is kept once, and used by the next start', () => {
    const home = newHome();
    bundleOf(home, 'first', 'a').keepCode();
    const { ino } = statSync(keptCode(home));
    const next = bundleOf(home, 'first', 'a');
    expect(next.load('main')).toBe('first');
    expect(next.load('none')).toBeUndefined();
    next.keepCode();
    expect(statSync(keptCode(home)).ino).toBe(ino);
  });

  it('of another script of the same length is not used', () => {
    const home = newHome();
    bundleOf(home, 'first', 'a').keepCode();
    expect(bundleOf(home, 'other', 'b').load('main')).toBe('other');
  });

  it.each(['cut', 'changed'])('is made again where its file was %s', (how) => {
    const home = newHome();
    bundleOf(home, 'first', 'a').keepCode();
    const file = keptCode(home);
    const whole = readFileSync(file);
    if (how === 'cut') truncateSync(file, whole.length - 8);
    else writeFileSync(file, whole.fill(255, whole.length - 8));
    const next = bundleOf(home, 'first', 'a');
    expect(next.load('main')).toBe('first');
    next.keepCode();
    expect(readFileSync(file).subarray(0, 20)).not.toEqual(Buffer.alloc(20));
    const { ino } = statSync(file);
    bundleOf(home, 'first', 'a').keepCode();
    expect(statSync(file).ino).toBe(ino);
  });
});
