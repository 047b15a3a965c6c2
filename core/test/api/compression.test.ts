import { get, type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestOf } from './support/rows.js';
import { type RunningApi, runningApi, withAdminKey, withKey } from './support/running-api.js';

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
  for (let n = 0; n < 27; n += 1) await requestOf(api, { amount: `${100 + n}000000` });
});
afterAll(() => api.close());

/** Without the decoding of `fetch`. */
function raw(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const send = method === 'GET' ? get : request;
    const asked = send(`${api.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

const LISTING = '/requests/v3?limit=50';
const key = withKey.headers;

describe('compression', () => {
  it.each([
    ['gzip', 'gzip, deflate', gunzipSync],
    ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
  ] as const)('of a listing as %s is the same listing, in a tenth', async (encoding, accepted, decode) => {
    const plain = await raw(LISTING, key);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers.vary).toContain('Accept-Encoding');
    expect(JSON.parse(plain.body.toString()).requests).toHaveLength(27);
    const packed = await raw(LISTING, { ...key, 'accept-encoding': accepted });
    expect(packed.status).toBe(200);
    expect(packed.headers).toMatchObject({
      'content-encoding': encoding,
      'content-type': 'application/json; charset=utf-8',
      'content-length': packed.body.length.toString(),
    });
    expect(decode(packed.body).toString()).toBe(plain.body.toString());
    expect(packed.body.length * 10).toBeLessThan(plain.body.length);
  });

  it.each(['identity', 'gzip;q=0', 'deflate', 'zstd', 'br;q=0, gzip;q=0', 'x'.repeat(1_000)])(
    'is left out for a client that takes %s',
    async (accepted) => {
      const reply = await raw('/docs', { 'accept-encoding': accepted });
      expect(reply.headers).not.toHaveProperty('content-encoding');
      expect(reply.body.toString()).toContain('<!doctype html>');
    },
  );

  it('of the description is made once, and is right each time', async () => {
    const [first, second] = [
      await raw('/openapi.json', { 'accept-encoding': 'gzip' }),
      await raw('/openapi.json', { 'accept-encoding': 'gzip' }),
    ];
    expect(first.body.equals(second.body)).toBe(true);
    expect(JSON.parse(gunzipSync(first.body).toString())).toMatchObject({ openapi: '3.1.0' });
    expect(
      JSON.parse(gunzipSync((await raw('/asyncapi.json', { 'accept-encoding': 'gzip' })).body).toString()),
    ).toMatchObject({ asyncapi: '3.0.0' });
  });

  it('is not for small answers, nor for those of operators', async () => {
    for (const path of ['/lives', '/admin/keys', '/admin/audit']) {
      const reply = await raw(path, { ...withAdminKey.headers, 'accept-encoding': 'gzip' });
      expect(reply.status, path).toBe(200);
      expect(reply.headers, path).not.toHaveProperty('content-encoding');
    }
  });

  it('answers HEAD with the headers of GET, without the body', async () => {
    const headers = { ...key, 'accept-encoding': 'gzip' };
    const [whole, head] = [await raw(LISTING, headers), await raw(LISTING, headers, 'HEAD')];
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    for (const name of ['content-encoding', 'content-type', 'etag', 'vary'])
      expect(head.headers[name], name).toBe(whole.headers[name]);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
  });
});

describe('entity tags', () => {
  it('spare a client what it has', async () => {
    const first = await raw(LISTING, key);
    const etag = first.headers.etag ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
    for (const encoding of ['identity', 'gzip']) {
      const again = await raw(LISTING, { ...key, 'if-none-match': etag, 'accept-encoding': encoding });
      expect(again).toMatchObject({ status: 304, headers: { etag } });
      expect(again.body).toHaveLength(0);
      expect(again.headers).not.toHaveProperty('content-encoding');
    }
    expect((await raw(LISTING, { ...key, 'if-none-match': `"x", ${etag}` })).status).toBe(304);
    expect((await raw(LISTING, { ...key, 'if-none-match': '"x"' })).status).toBe(200);
  });

  it('change with what is reported', async () => {
    const before = await raw(LISTING, key);
    await requestOf(api, { amount: '999000000' });
    const after = await raw(LISTING, { ...key, 'if-none-match': before.headers.etag ?? '' });
    expect(after.status).toBe(200);
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  it('open nothing to whom may not see it', async () => {
    const { etag = '' } = (await raw(LISTING, key)).headers;
    expect((await raw(LISTING, { 'if-none-match': etag })).status).toBe(401);
    expect((await raw(LISTING, { 'if-none-match': '*' })).status).toBe(401);
  });

  it('are not on refusals', async () => {
    const reply = await raw(`/intents/status/v3?requestId=0x${'0'.repeat(64)}`);
    expect(reply.status).toBe(404);
    expect(reply.headers).not.toHaveProperty('etag');
  });

  it('let browsers keep the description, and nothing else', async () => {
    expect((await raw('/docs')).headers['cache-control']).toBe('no-cache');
    expect((await raw('/chains')).headers['cache-control']).toBe('no-store');
  });
});
