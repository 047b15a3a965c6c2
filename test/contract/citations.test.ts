import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { ATTACK_KINDS } from '@causeway/core/testing';
import { describe, expect, it } from 'vitest';
import { ROOT, repositoryFiles, type SourceFile } from '../support/repository.js';

// Files, links and entries named in comments, strings and pages must exist.

const TEXTS = repositoryFiles(/\.(ts|mts|js|mjs|cjs|md|json|ya?ml|sh|sol)$|^\.ci\//).filter(
  ({ path }) => basename(path) !== 'package-lock.json',
);
const PAGES = repositoryFiles(/\.md$/);
const NAMES = new Set(PAGES.map(({ path }) => basename(path)));

const PAGE_NAME = /(?<![\w./-])((?:[\w.-]+\/)*[\w.-]+\.md)\b/g;
const LINK = /\]\(([^)\s#]*)(?:#([\w-]+))?\)/g;
const ELSEWHERE = /\bhttps?:\/\/\S+/g;

/** Named `*.md` files that are neither at the root, nor next to the citing file, nor unique by base name. */
function lostPages({ path, text }: SourceFile): readonly string[] {
  const named = [...text.replace(ELSEWHERE, '').matchAll(PAGE_NAME)].flatMap(([, name]) => name ?? []);
  return [...new Set(named)].filter(
    (name) => !NAMES.has(basename(name)) && !existsSync(join(ROOT, name)) && !existsSync(extra(path, name)),
  );
}

function lostLinks({ path, text }: SourceFile): readonly string[] {
  const plain = text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
  return [...plain.matchAll(LINK)].flatMap(([, file = '', anchor]) => {
    if (/^[a-z]+:/.test(file)) return [];
    const target = file === '' ? path : normalize(join(dirname(path), file));
    if (!existsSync(join(ROOT, target))) return [`${file} is not there`];
    const page = PAGES.find((one) => one.path === target);
    return anchor === undefined || page === undefined || headings(page.text).has(anchor)
      ? []
      : [`${target} has no heading #${anchor}`];
  });
}

const extra = (path: string, name: string): string => join(ROOT, dirname(path), name);

/** Heading anchors as code hosts make them, and anchors that a page sets itself. */
function headings(text: string): ReadonlySet<string> {
  const plain = text.replace(/```[\s\S]*?```/g, '');
  const lines = [...plain.matchAll(/^#{1,6} (.*)$/gm)].map(([, line = '']) => slug(line));
  const anchors = [...plain.matchAll(/<a id="([\w-]+)"><\/a>/g)].map(([, id = '']) => id);
  return new Set([...lines, ...anchors]);
}

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

const found = (files: readonly SourceFile[], lost: (file: SourceFile) => readonly string[]): readonly string[] =>
  files.flatMap((file) => lost(file).map((what) => `${file.path}: ${what}`));

/** Entries of `core/docs/threats.md`: a row of four cells each, the first with anchor and number. */
function threats(text: string) {
  const rows = text.split('\n').filter((line) => line.startsWith('| <a id="'));
  return rows.map((row) => {
    const [first = '', , guards = '', ...rest] = row.slice(2, -2).split(' | ');
    const [guard = '', shownBy = ''] = guards.split('<br>');
    const [, anchor, number] = /^<a id="(\w+)"><\/a>(\d+)$/.exec(first) ?? [];
    return { anchor, number: Number(number), guard, shownBy, cells: 3 + rest.length, row };
  });
}

/** Words as `wc -w` counts them. Pages that readers see first, or read as a whole. */
const MAX_WORDS = { 'README.md': 1_500, 'core/docs/threats.md': 4_000 } as const;

it.each(Object.entries(MAX_WORDS))('%s has at most %i words', (path, most) => {
  const text = PAGES.find((page) => page.path === path)?.text ?? '';
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  expect(words).toBeGreaterThan(most / 2);
  expect(words).toBeLessThanOrEqual(most);
});

const TEST_FILE = /^(core|plugins|test)\/[\w./-]+\.test\.ts$/;
const SIMULATION = /^simulation: (\w+)$/;
const codeSpans = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
const pathsIn = (text: string): readonly string[] =>
  codeSpans(text).filter((span) => /^(core|plugins|test)\/[\w./-]+$/.test(span));

function unproven({ number, guard, shownBy, row }: ReturnType<typeof threats>[number]): readonly string[] {
  const kinds: readonly string[] = ATTACK_KINDS;
  const guards = pathsIn(guard);
  const proofs = codeSpans(shownBy);
  return [
    ...(guards.length === 0 ? ['names no code of its guard'] : []),
    ...(proofs.length === 0 ? ['names no test'] : []),
    ...guards.filter((path) => TEST_FILE.test(path)).map((path) => `${path} is a test, not a guard`),
    ...proofs
      .filter((proof) => !TEST_FILE.test(proof) && !kinds.includes(SIMULATION.exec(proof)?.[1] ?? ''))
      .map((proof) => `${proof} is neither a test file nor a kind of attack`),
    ...pathsIn(row).flatMap((path) => (existsSync(join(ROOT, path)) ? [] : [`${path} is not there`])),
  ].map((what) => `${number}: ${what}`);
}

describe('core/docs/threats.md', () => {
  const text = PAGES.find(({ path }) => path === 'core/docs/threats.md')?.text ?? '';
  const entries = threats(text);

  it('has each entry once, under its number', () => {
    const numbers = entries.map(({ number }) => number).sort((a, b) => a - b);
    expect(numbers.length).toBeGreaterThanOrEqual(63);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(entries.filter(({ anchor, number, cells }) => anchor !== `t${number}` || cells !== 4)).toEqual([]);
  });

  it('cites code and a test that exist for each entry', () => {
    expect(entries.flatMap(unproven)).toEqual([]);
  });

  it('cites every kind of attack of the simulation', () => {
    const cited = entries.flatMap(({ shownBy }) => codeSpans(shownBy).map((span) => SIMULATION.exec(span)?.[1]));
    expect(ATTACK_KINDS.filter((kind) => !cited.includes(kind))).toEqual([]);
  });

  it('would notice an entry without proof', () => {
    const row = '| <a id="t1"></a>1 | pays | `core/src/nowhere.ts`<br>`simulation: noSuchKind` | — |';
    expect(threats(row).flatMap(unproven)).toEqual([
      '1: simulation: noSuchKind is neither a test file nor a kind of attack',
      '1: core/src/nowhere.ts is not there',
    ]);
    expect(threats('| <a id="t2"></a>2 | pays | none | — |').flatMap(unproven)).toEqual([
      '2: names no code of its guard',
      '2: names no test',
    ]);
  });
});

describe('what the project names', () => {
  it('names no page that a reader does not have', () => {
    expect(found(TEXTS, lostPages)).toEqual([]);
  });

  it('links to no file and no heading that is not there', () => {
    expect(found(PAGES, lostLinks)).toEqual([]);
  });

  it('would notice one', () => {
    const page = (name: string) => `${name}.${'md'}`;
    const text = `see ${page('nowhere')}, ${page('README')}, https://example.org/${page('else')} and [this](#not-a-heading)`;
    const file = { path: 'core/docs/made-up.txt', text };
    expect(lostPages(file)).toEqual([page('nowhere')]);
    expect(lostLinks({ path: page('README'), text })).toEqual([`${page('README')} has no heading #not-a-heading`]);
    const anchored = '<a id="own"></a> [own](#own) [other](#other)';
    expect(headings(anchored)).toEqual(new Set(['own']));
  });
});
