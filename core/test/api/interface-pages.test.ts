import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/api/openapi/document.js';
import { operationsOf } from './support/interface-page.js';
import { type RunningApi, runningApi } from './support/running-api.js';

const FOLDER = fileURLToPath(new URL('../../docs/interface/', import.meta.url));
const MARK = /<!-- operations: (.*?) -->\n[\s\S]*?<!-- end of operations -->/g;

const pages = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(`${FOLDER}${name}`, 'utf8') }));

const beginnings = pages.flatMap(({ name, text }) =>
  [...text.matchAll(MARK)].flatMap(([, paths = '']) => paths.split(' ').map((path) => ({ name, path }))),
);

function pageOf(path: string): string | undefined {
  const fits = beginnings.filter(({ path: start }) => path === start || path.startsWith(`${start}/`));
  return fits.sort((a, b) => b.path.length - a.path.length)[0]?.path;
}

let api: RunningApi;
let document: OpenApiDocument;

beforeAll(async () => {
  api = await runningApi();
  document = (await api.call('GET', '/openapi.json')).body as OpenApiDocument;
});
afterAll(() => api.close());

describe('the pages about the interface', () => {
  /** `npx vitest run --project unit core/test/api/interface-pages.test.ts --update` writes the tables again. */
  it.each(pages.map((page) => [page.name, page] as const))('%s says what the service says', async (name, { text }) => {
    const reported = text.replaceAll(MARK, (_, paths: string) => {
      const own = new Set(paths.split(' '));
      const operations = operationsOf(document, (path) => own.has(pageOf(path) ?? ''));
      return `<!-- operations: ${paths} -->\n\n${operations}\n\n<!-- end of operations -->`;
    });
    await expect(reported).toMatchFileSnapshot(`${FOLDER}${name}`);
  });

  it('leave no operation out, and name each once', () => {
    const paths = Object.keys(document.paths);
    expect(paths.length).toBeGreaterThan(30);
    expect(paths.filter((path) => pageOf(path) === undefined)).toEqual([]);
    const names = beginnings.map(({ path }) => path);
    expect(names).toHaveLength(new Set(names).size);
    for (const name of names) expect(paths.map(pageOf), name).toContain(name);
  });
});
