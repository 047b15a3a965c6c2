import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../src/api/openapi/document.js';
import { ADMIN_KEY, ask, type CallOptions, type RunningApi, runningApi } from './support/running-api.js';

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: object } }>>;
  };
}

interface Case {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Successful bodies by operation: one bad field then gets further. */
const GOOD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  quoteV2: ask(),
  quote: ask(),
  price: ask(),
  indexTransaction: { chainId: 1, txHash: `0x${'1'.repeat(64)}` },
  singleTransaction: { chainId: 1, txHash: `0x${'1'.repeat(64)}`, requestId: `0x${'1'.repeat(64)}` },
  adminPause: { scope: 'all', reason: 'a test' },
  adminResume: { scope: 'all' },
  adminRefund: { requestId: `0x${'1'.repeat(64)}` },
  adminReleaseHold: { holdId: 'hold' },
  adminResumeLane: { chainId: 1, signer: `0x${'f'.repeat(40)}` },
};

let api: RunningApi;
let cases: readonly Case[];

beforeAll(async () => {
  api = await runningApi();
  const document = (await api.call('GET', '/openapi.json')).body as OpenApiDocument;
  cases = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, 'x'),
      operation: operation as unknown as Operation,
    })),
  );
});
afterAll(() => api.close());

const isAdmin = ({ operation }: Case) => operation.security.every((one) => 'adminKey' in one || 'adminBearer' in one);
const keyOf = (one: Case) => (isAdmin(one) ? { 'x-admin-key': ADMIN_KEY } : {});
const posts = () => cases.filter(({ operation }) => operation.requestBody);
const names = ({ operation }: Case) =>
  (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
const fields = ({ operation }: Case) =>
  Object.keys(operation.requestBody?.content['application/json']?.schema.properties ?? {});

/** Fails on undocumented answers and on those that blame the service. */
async function blameless(one: Case, search = '', options: CallOptions = {}): Promise<number> {
  const headers = { ...keyOf(one), ...options.headers };
  const { status } = await api.call(one.method, `${one.path}${search}`, { ...options, headers });
  expect(status, `${one.method} ${one.path}${search} ${JSON.stringify(options.body)?.slice(0, 200)}`).toBeLessThan(500);
  return status;
}

const NONSENSE = [
  '',
  ' ',
  'null',
  '-1',
  '1e999',
  '0x',
  '{}',
  '[',
  '%00',
  '%ff',
  '😀',
  'a'.repeat(5_000),
  "'; --",
  '__proto__',
];
const written = (text: string) => (text.includes('%') ? text : encodeURIComponent(text));

/** Thousands of requests, possibly on a busy machine. */
const LONG = 180_000;

const WRONG: readonly unknown[] = [null, [], [[]], true, -1, 1.5, 1e300, '', '\u0000', 'a'.repeat(5_000), '-0x1'];

describe('every route', () => {
  it('answers as documented when it is given nothing, and what it does not know', async () => {
    expect(cases.length).toBeGreaterThan(10);
    for (const one of cases) {
      const body = one.operation.requestBody ? { body: {} } : {};
      const bare = await blameless(one, '', body);
      expect(await blameless(one, '?referrer-of-a-client=x', body), one.path).toBe(bare);
    }
  });

  it('lets no one in with a key that is none', async () => {
    for (const one of cases) {
      const body = one.operation.requestBody ? { body: {} } : {};
      const headers = isAdmin(one) ? { 'x-admin-key': 'x' } : { 'x-api-key': 'x' };
      expect(await blameless(one, '', { ...body, headers }), one.path).toBe(401);
    }
  });

  it('refuses a parameter that is given twice', async () => {
    const given = cases.flatMap((one) => names(one).map((name) => ({ one, name })));
    expect(given.length).toBeGreaterThan(20);
    for (const { one, name } of given) expect(await blameless(one, `?${name}=1&${name}=2`), name).toBe(400);
  });

  it('takes nonsense in any parameter', { timeout: LONG }, async () => {
    for (const one of cases) {
      for (const name of names(one)) {
        await Promise.all(NONSENSE.map((text) => blameless(one, `?${name}=${written(text)}`)));
      }
    }
  });

  it('answers good bodies with success', async () => {
    const given = cases.filter(({ operation }) => GOOD[operation.operationId]);
    expect(given).toHaveLength(Object.keys(GOOD).length);
    for (const one of given)
      expect(await blameless(one, '', { body: GOOD[one.operation.operationId] }), one.path).toBe(200);
  });

  it('refuses what is no object for a body', async () => {
    for (const one of posts()) {
      for (const body of WRONG) expect(await blameless(one, '', { body }), one.path).toBe(400);
      for (const raw of ['{', '\u0000', '{"a":1}x']) expect(await blameless(one, '', { raw }), one.path).toBe(400);
      const isOptional = one.operation.requestBody?.required === false;
      const empty = isOptional ? await blameless(one, '', { body: {} }) : 400;
      expect(await blameless(one, '', { raw: '' }), one.path).toBe(empty);
      await blameless(one, '', { raw: '{"__proto__":{"a":1}}' });
    }
  });

  it('takes nonsense in any field', { timeout: LONG }, async () => {
    expect(posts().length).toBeGreaterThan(3);
    for (const one of posts()) {
      const good = GOOD[one.operation.operationId] ?? {};
      for (const field of fields(one)) {
        const all = [...WRONG, {}, [{}], ['']];
        await Promise.all(all.map((wrong) => blameless(one, '', { body: { ...good, [field]: wrong } })));
      }
    }
  });
});
