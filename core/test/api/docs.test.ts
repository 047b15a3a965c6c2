import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/api/openapi/document.js';
import { descriptionPage } from '../../src/api/openapi/page.js';
import { type RunningApi, runningApi } from './support/running-api.js';

let api: RunningApi;
let document: OpenApiDocument;
let page: string;
let policy: string;

beforeAll(async () => {
  api = await runningApi();
  document = (await api.call('GET', '/openapi.json')).body as OpenApiDocument;
  const reply = await api.call('GET', '/docs');
  page = reply.body as string;
  policy = reply.headers.get('content-security-policy') ?? '';
});
afterAll(() => api.close());

const operations = () => Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe('GET /docs', () => {
  it('shows every operation and every schema', () => {
    expect(operations().length).toBeGreaterThan(10);
    const shows = (id: string) => page.includes(`<section id="${id}">`);
    for (const { operationId } of operations()) expect(shows(String(operationId)), String(operationId)).toBe(true);
    for (const name of Object.keys(document.components['schemas'] ?? {})) {
      expect(shows(`schema-${name}`), name).toBe(true);
    }
  });

  it('links to nothing that is not there', async () => {
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, target = '']) => target);
    expect(links.length).toBeGreaterThan(100);
    const anchors = new Set([...page.matchAll(/id="([^"]+)"/g)].map(([, id]) => `#${id}`));
    const files = new Set(links.filter((target) => !target.startsWith('#')));
    expect(links.filter((target) => target.startsWith('#') && !anchors.has(target))).toEqual([]);
    for (const file of files) expect((await api.call('GET', `/${file}`)).status, file).toBe(200);
  });

  it('loads and runs nothing, and its policy allows its own style only', () => {
    expect(/<(?:script|link|img|iframe|object)|@import|url\(|(?:src|href)="\w+:/i.exec(page)).toBeNull();
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  it('takes no text of the document for HTML', () => {
    const evil = '<script>alert("x")</script>';
    const [path = '', methods = {}] = Object.entries(document.paths)[0] ?? [];
    const [method = '', operation = {}] = Object.entries(methods)[0] ?? [];
    const changed = { ...operation, summary: evil, description: `${evil} [a](javascript:1)` };
    const html = descriptionPage({
      ...document,
      paths: { [`${path}${evil}`]: { [method]: changed } },
      info: { ...document.info, title: evil, description: evil },
      components: { schemas: { A: { type: 'object', properties: { [evil]: { enum: [evil], description: evil } } } } },
    });
    expect(html.includes('&#60;script&#62;')).toBe(true);
    expect(html.includes('<script')).toBe(false);
    expect(html.includes('href="javascript')).toBe(false);
  });
});

describe('GET /', () => {
  const front = (accept: string) =>
    fetch(`${api.url}/`, { headers: accept === '' ? {} : { accept }, redirect: 'manual' });

  it('sends browsers to the description', async () => {
    const reply = await front('text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8');
    expect(reply.status).toBe(302);
    expect(new URL(reply.headers.get('location') ?? '', reply.url).pathname).toBe('/docs');
    expect(reply.headers.get('vary')).toContain('Accept');
  });

  it.each(['*/*', 'application/json', ''])('shows programs (%s) where everything is', async (accept) => {
    const reply = await front(accept);
    expect(reply.status).toBe(200);
    const reported = (await reply.json()) as Record<string, string>;
    expect(Object.keys(reported)).toEqual(['docs', 'openapi', 'asyncapi', 'websocket', 'events']);
    for (const path of [reported['docs'], reported['openapi'], reported['asyncapi']]) {
      expect((await api.call('GET', `/${path}`)).status, path).toBe(200);
    }
  });
});
