import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/api/keys.js';
import type { OpenApiDocument } from '../../src/api/openapi/document.js';
import { INTENT_STATUS } from '../../src/api/schemas/common.js';
import { CLOSE } from '../../src/api/ws/connection.js';
import { readFrame } from '../../src/api/ws/frames.js';
import { ApiError } from '../../src/errors/api-error.js';
import { ERROR_CATALOGUE } from '../../src/errors/catalogue.js';
import { FAIL_REASONS, REFUND_FAIL_REASONS } from '../../src/errors/fail-reasons.js';
import { type RunningApi, runningApi } from './support/running-api.js';

const FOLDER = fileURLToPath(new URL('../../docs/interface/', import.meta.url));
const TABLES = /<!-- operations: [\s\S]*?<!-- end of operations -->/g;
const NOT_SERVED = /not served by this version/i;
const NOT_SERVED_PAGE = 'not-served.md';

/** Handwritten text, without generated tables. */
const pages = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map((name) => {
    const text = readFileSync(`${FOLDER}${name}`, 'utf8');
    return { name, words: text.replaceAll(TABLES, ''), tables: (text.match(TABLES) ?? []).join('\n') };
  });

function page(name: string): string {
  const found = pages.find((one) => one.name === name);
  if (!found) throw new Error(`no page ${name}`);
  return found.words;
}

function spans(form: RegExp): readonly (readonly [page: string, match: RegExpMatchArray])[] {
  return pages.flatMap(({ name, words }) =>
    [...words.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].flatMap(([, span = '']) => {
      const match = form.exec(span);
      return match ? [[name, match] as const] : [];
    }),
  );
}

let api: RunningApi;
/** By `METHOD /path`. */
let described: ReadonlyMap<string, string>;

beforeAll(async () => {
  api = await runningApi();
  const { paths } = (await api.call('GET', '/openapi.json')).body as OpenApiDocument;
  described = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, one]) => [`${method.toUpperCase()} ${path}`, String(one['description'] ?? '')] as const,
      ),
    ),
  );
});
afterAll(() => api.close());

describe('the rules on the pages about the interface', () => {
  it('send no one to an operation that is not there, or not served', () => {
    const named = spans(/^(GET|POST) (\/[^?\s]*)/);
    expect(named.length).toBeGreaterThan(3);
    const wrong = named.flatMap(([name, [, method, path = '']]) => {
      const said = described.get(`${method} ${path}`);
      const fits = said !== undefined && (name === NOT_SERVED_PAGE || !NOT_SERVED.test(said));
      return fits ? [] : [`${name}: ${method} ${path}`];
    });
    expect(wrong).toEqual([]);
  });

  it('keep what is not served on a page of its own, and nothing else there', () => {
    const placed = pages.flatMap(({ name, tables }) =>
      [...tables.matchAll(/^### `(.*)`$/gm)].map(([, operation = '']) => ({ name, operation })),
    );
    expect(placed.length).toBeGreaterThan(50);
    const misplaced = placed.filter(
      ({ name, operation }) => NOT_SERVED.test(described.get(operation) ?? '') !== (name === NOT_SERVED_PAGE),
    );
    expect(misplaced).toEqual([]);
  });

  it('name only codes and reasons that there are', () => {
    const known = new Set<string>([...Object.keys(ERROR_CATALOGUE), ...FAIL_REASONS, ...REFUND_FAIL_REASONS]);
    const words = new Set(['EXACT_INPUT', 'EXACT_OUTPUT', 'EXPECTED_OUTPUT', 'OP_RETURN']);
    const named = spans(/^([A-Z]+(?:_[A-Z]+)+)$/);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter(([, [, code = '']]) => !known.has(code) && !words.has(code))).toEqual([]);
  });

  it('explain every status that there is, once', () => {
    const rows = [...page('status.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, status]) => status);
    expect(rows.sort()).toEqual([...(INTENT_STATUS as unknown as { enum: readonly string[] }).enum].sort());
  });

  it('explain every scope of a key', () => {
    const rows = [...page('keys.md').matchAll(/^\| `(\w+)` \|/gm)].map(([, scope]) => scope);
    expect(rows).toEqual([...SCOPES]);
  });

  it('explain every code that a socket is closed with', () => {
    const rows = [...page('websocket.md').matchAll(/^\| (\d{4}) \|/gm)].map(([, code]) => Number(code));
    // 1009: the websocket library's code for an oversized frame.
    expect(rows.sort()).toEqual([...Object.values(CLOSE), 1009].sort());
  });

  it('show a frame that is taken', () => {
    const frames = [...page('websocket.md').matchAll(/```json\n([\s\S]*?)```/g)].map(([, frame = '']) => frame);
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(readFrame(frame), frame).not.toBeInstanceOf(ApiError);
  });

  it('show an error as it is answered', async () => {
    const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(page('errors.md')) ?? [];
    const { body } = await api.call('POST', '/quote/v2', {
      body: {
        user: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        originChainId: 1,
        destinationChainId: 2,
        originCurrency: '0x0000000000000000000000000000000000000000',
        destinationCurrency: '0x0000000000000000000000000000000000000000',
        tradeType: 'EXACT_INPUT',
      },
    });
    expect(JSON.parse(shown)).toEqual(body);
  });
});
