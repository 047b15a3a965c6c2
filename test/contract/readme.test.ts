import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks } from '../support/documents.js';
import { ROOT, repositoryFiles } from '../support/repository.js';

const scripts = repositoryFiles(/(^|\/)package\.json$/).flatMap(({ text }) =>
  Object.keys((JSON.parse(text) as { scripts?: Record<string, string> }).scripts ?? {}),
);

describe('documents', () => {
  const documents = repositoryFiles(/\.md$/);

  it('link only to files that exist', () => {
    const dead = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(dead).toEqual([]);
  });

  it('name only scripts that exist', () => {
    const unknown = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/npm run ([\w:-]+)/g)]
        .map((match) => match[1] ?? '')
        .filter((name) => !scripts.includes(name))
        .map((name) => `${path}: npm run ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('README.md', () => {
  const readme = readFileSync(`${ROOT}README.md`, 'utf8');

  it('names the two set-up commands', () => {
    expect(codeBlocks(readme, 'sh')).toContain('npm ci && npm start');
    expect(codeBlocks(readme, 'sh')).toContain('npm ci && npm test');
  });

  it('shows the plugin that the end-to-end lane loads', () => {
    const fixture = readFileSync(`${ROOT}test/fixtures/example-price-plugin/index.js`, 'utf8').trim();
    expect(codeBlocks(readme, 'js')).toEqual([fixture]);
  });

  it('lists every guarantee once', () => {
    const ids = [...readme.matchAll(/^\| (G\d+) \|/gm)].map((match) => match[1]);
    expect(ids).toEqual(Array.from({ length: 15 }, (_, index) => `G${index + 1}`));
  });
});
