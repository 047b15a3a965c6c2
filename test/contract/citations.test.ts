import { existsSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, repositoryFiles, type SourceFile } from '../support/repository.js';

// What a comment, a string or a page names must be there for whoever reads it.

const TEXTS = repositoryFiles(/\.(ts|mts|js|mjs|cjs|md|json|ya?ml|sh|sol)$|^\.ci\//).filter(
  ({ path }) => basename(path) !== 'package-lock.json',
);
const PAGES = repositoryFiles(/\.md$/);
const NAMES = new Set(PAGES.map(({ path }) => basename(path)));

const PAGE = /(?<![\w./-])((?:[\w.-]+\/)*[\w.-]+\.md)\b/g;
const LINK = /\]\(([^)\s#]*)(?:#([\w-]+))?\)/g;
const ELSEWHERE = /\bhttps?:\/\/\S+/g;

/** Every `*.md` that is named and is neither at the root, nor beside who names it, nor anywhere by its base name. */
function lostPages({ path, text }: SourceFile): readonly string[] {
  const named = [...text.replace(ELSEWHERE, '').matchAll(PAGE)].flatMap(([, name]) => name ?? []);
  return [...new Set(named)].filter(
    (name) => !NAMES.has(basename(name)) && !existsSync(join(ROOT, name)) && !existsSync(beside(path, name)),
  );
}

/** Every link of a page whose file or heading is not there. */
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

const beside = (path: string, name: string): string => join(ROOT, dirname(path), name);

/** Names of headings, as code hosts make them. */
function headings(text: string): ReadonlySet<string> {
  const lines = text.replace(/```[\s\S]*?```/g, '').matchAll(/^#{1,6} (.*)$/gm);
  return new Set([...lines].map(([, line = '']) => slug(line)));
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
  });
});
