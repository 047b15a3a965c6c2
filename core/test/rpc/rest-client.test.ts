import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { RestClient, RpcError, TransportError } from '../../src/rpc/index.js';
import { type RestFaultProxy, restFaultProxy, restFaults } from '../../src/testing/index.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

/** Node, proxy and client. */
async function ground(
  answers: Readonly<Record<string, readonly [status: number, body: string]>> = {},
  more: { readonly maxInFlight?: number; readonly maxBodyBytes?: number; readonly base?: string } = {},
) {
  const asked: Asked[] = [];
  const seen: (readonly [readonly string[], boolean])[] = [];
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { method = '', url = '' } = request;
    asked.push({ method, url, body });
    const [status, text] = answers[url] ?? [200, JSON.stringify({ method, url, body })];
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const proxy: RestFaultProxy = await restFaultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  cleanups.push(() => proxy.close());
  const rest = new RestClient({
    url: proxy.url.replace('//', '//user:pass@') + (more.base ?? ''),
    label: 'node 1',
    timeoutMs: 500,
    maxInFlight: 2,
    onExchange: (calls, _ms, ok) => seen.push([calls, ok]),
    ...more,
  });
  return { rest, proxy, asked, seen };
}

it('asks by paths behind its base, with the key that the base carries, and not with its credentials', async () => {
  const { rest, asked } = await ground({}, { base: '/v1/?key=k' });
  expect(await rest.get('/blocks?from=3')).toMatchObject({ method: 'GET', url: '/v1/blocks?key=k&from=3', body: '' });
  expect(await rest.post('/transactions', { a: 1 })).toMatchObject({ method: 'POST', body: '{"a":1}' });
  expect(await rest.get('')).toMatchObject({ url: '/v1/?key=k' });
  // The proxy drops headers; `HttpClient`'s test covers them.
  expect(asked).toHaveLength(3);
  expect(rest.calls).toBe(3);
});

it('takes a 4xx that is JSON for a word of the node, with its status and its body', async () => {
  const refusal = JSON.stringify({ code: 'sequence_used', message: 'that place is taken' });
  const { rest } = await ground({ '/transactions': [409, refusal], '/nothing': [404, '{}'] });
  const error = await rest.post('/transactions', '{}').catch((one: unknown) => one);
  expect(error).toBeInstanceOf(RpcError);
  expect(error).toMatchObject({ code: 409, message: 'that place is taken', data: { code: 'sequence_used' } });
  await expect(rest.get('/nothing')).rejects.toMatchObject({ name: 'RpcError', message: 'HTTP status 404' });
});

it.each([
  ['a page of some proxy', [404, '<html>no such host</html>'], 'http'],
  ["a server's own error", [500, '{"message":"boom"}'], 'http'],
  ['a redirect', [302, ''], 'http'],
  ['a caller without access', [403, '{"message":"no key"}'], 'http'],
  ['an answer that is no JSON', [200, 'fine'], 'malformed'],
  ['throttling', [429, '{}'], 'rate'],
  ['throttling by words alone', [400, '{"message":"rate limit exceeded"}'], 'rate'],
  ['more than is read', [200, JSON.stringify('x'.repeat(5_000))], 'tooLarge'],
] as const)('learns nothing from %s', async (_what, answer, failure) => {
  const { rest, seen } = await ground({ '/x': answer }, { maxBodyBytes: 2_000 });
  const error = await rest.get('/x').catch((one: unknown) => one);
  expect(error).toBeInstanceOf(TransportError);
  expect(error).toMatchObject({ failure });
  expect(seen).toEqual([[['GET /x'], false]]);
  expect((error as Error).message).not.toContain('pass');
});

it('learns nothing where the connection failed, before the node or behind it, or where no one answers', async () => {
  const { rest, proxy, asked } = await ground();
  const { only, first, eitherOf } = restFaults;
  proxy.plan = eitherOf(only('POST /a', 'dropBefore'), only('POST /b', 'dropAfter'), only('GET /c', first(1, 'hang')));
  await expect(rest.post('/a', {})).rejects.toMatchObject({ failure: 'network' });
  await expect(rest.post('/b', {})).rejects.toMatchObject({ failure: 'network' });
  expect(asked.map(({ url }) => url)).toEqual(['/b']);
  await expect(rest.get('/c/stranger')).rejects.toMatchObject({ failure: 'timeout' });
  expect(await rest.get('/c/stranger')).toMatchObject({ url: '/c/stranger' });
  expect(proxy.count('GET /c')).toBe(2);
});

it('is shown other answers, and answers to other questions, by its proxy', async () => {
  const { rest, proxy } = await ground();
  const { only: those } = restFaults;
  proxy.plan = those('GET /x', { rewrite: ({ status }) => ({ status, body: '{"height":7}' }) });
  expect(await rest.get('/x')).toEqual({ height: 7 });
  proxy.plan = () => ({ ask: '/other' });
  expect(await rest.get('/x')).toMatchObject({ url: '/other' });
  proxy.plan = () => ({ status: 503, retryAfterSeconds: 1 });
  await expect(rest.get('/x')).rejects.toMatchObject({ failure: 'http' });
  proxy.heal();
  expect(await rest.get('/x')).toMatchObject({ url: '/x' });
});

it('has no more requests in flight than it may, and answers all of them', async () => {
  const { rest, proxy } = await ground({}, { maxInFlight: 2 });
  let open = 0;
  let most = 0;
  proxy.plan = () => {
    open += 1;
    most = Math.max(most, open);
    return {
      rewrite: (reply) => {
        open -= 1;
        return reply;
      },
    };
  };
  const all = await Promise.all(Array.from({ length: 9 }, (_, n) => rest.get<{ url: string }>(`/${n}`)));
  expect(all.map(({ url }) => url)).toEqual(Array.from({ length: 9 }, (_, n) => `/${n}`));
  expect(most).toBe(2);
});
