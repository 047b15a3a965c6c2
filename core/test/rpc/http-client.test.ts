import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { HttpClient, type HttpClientOptions, RpcError, TransportError } from '../../src/rpc/index.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function client(
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  timeoutMs = 2_000,
  more: Partial<HttpClientOptions> = {},
) {
  const server = createServer(serve);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new HttpClient({ url, label: 'rpc 0', timeoutMs, maxInFlight: 4, maxBatch: 1, ...more });
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

it('sends who it is and its credentials in headers, and takes an answer under any status', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const rpc = await client((request, response) => {
    seen.push(request.headers);
    json(response, { jsonrpc: '2.0', id: 1, result: 7 }, 500);
  });
  expect(await rpc.request('x')).toBe(7);
  expect(seen[0]).toMatchObject({ 'user-agent': 'causeway', authorization: `Basic ${btoa('user:secret')}` });
});

it.each([401, 402, 403, 407])(
  'takes %s for a provider that does not serve us, whatever its body says',
  async (status) => {
    const rpc = await client((_, response) =>
      json(response, { id: 1, error: { code: -32000, message: 'no' } }, status),
    );
    await expect(rpc.request('x')).rejects.toBeInstanceOf(TransportError);
  },
);

it('takes an error that the provider answers for a refusal', async () => {
  const rpc = await client((_, response) => json(response, { id: 1, error: { code: -32602, message: 'no' } }, 400));
  await expect(rpc.request('x')).rejects.toBeInstanceOf(RpcError);
});

it('learns nothing from one that hangs, trickles, or hangs up; no message names the URL', async () => {
  const hangs = await client(() => undefined, 200);
  const trickles = await client((_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  }, 300);
  const ends = await client((request) => request.socket.destroy());
  for (const [rpc, failure] of [
    [hangs, 'timeout'],
    [trickles, 'timeout'],
    [ends, 'network'],
  ] as const) {
    const error: unknown = await rpc.request('x').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ failure });
    expect(String(error)).not.toMatch(/secret|127\.0\.0\.1/);
  }
});

it('stops reading an answer that is too large', async () => {
  let ended = 0;
  const rpc = await client(
    (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(100)), 1);
      response.on('close', () => {
        clearInterval(timer);
        ended += 1;
      });
    },
    10_000,
    { maxBodyBytes: 1_000 },
  );
  await expect(rpc.request('x')).rejects.toMatchObject({ name: 'TransportError', failure: 'tooLarge' });
  await expect.poll(() => ended).toBe(1);
});

it('keeps the beginning of what a provider says', async () => {
  const message = `nonce too low ${'nonce '.repeat(100_000)}`;
  const rpc = await client((_, response) => json(response, { id: 1, error: { code: -32000, message } }));
  const error = await rpc.request('x').catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RpcError);
  expect(String(error)).toMatch(/nonce too low/);
  expect(String(error).length).toBeLessThan(2_100);
});

it('asks by connections of its own, whatever version of undici made the global dispatcher', async () => {
  const rpc = await client((_, response) => json(response, { id: 1, result: 7 }));
  const shared = globalThis as Record<symbol, unknown>;
  const name = Symbol.for('undici.globalDispatcher.1');
  const before = shared[name];
  const dispatch = () => {
    throw new Error('a dispatcher of another version');
  };
  shared[name] = { dispatch };
  try {
    expect(await rpc.request('x')).toBe(7);
  } finally {
    shared[name] = before;
  }
});
