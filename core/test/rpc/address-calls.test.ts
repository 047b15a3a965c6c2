import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { AddressCalls, HttpClient, type Provider } from '../../src/rpc/index.js';

it('counts the calls of one purpose on the client of all, which they share', async () => {
  const server = createServer(async (request, response) => {
    const { id } = JSON.parse(await text(request)) as { id: number };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: 7 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rpc = new HttpClient({ url, label: 'rpc 0', timeoutMs: 2_000, maxInFlight: 4, maxBatch: 1 });
  const provider: Provider = { index: 0, name: 'rpc 0', ws: undefined, rpc };
  const counted: unknown[] = [];
  const calls = new AddressCalls<HttpClient>({ count: (...given) => void counted.push(given) }, 5);
  const own = calls.of(provider);
  expect(calls.of(provider)).toBe(own);
  expect(calls.of(own)).toBe(own);

  await own.rpc.request('a');
  await own.rpc.until(new AbortController().signal).request('b');
  await rpc.request('c');
  expect(counted).toEqual(Array(2).fill(['address_calls', expect.any(String), { chain: 5 }]));
  expect(rpc.calls).toBe(3);
  server.closeAllConnections();
  server.close();
});
