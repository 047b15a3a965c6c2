import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { BatchSize } from '../../src/rpc/batch-size.js';
import { HttpClient } from '../../src/rpc/index.js';

interface Asked {
  readonly id: number;
  readonly method: string;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const answered = (calls: readonly Asked[]) => calls.map(({ id, method }) => ({ id, result: method }));

/** A client whose provider refuses some batches. `asked`: batch sizes. */
async function ground(refuse: (calls: readonly Asked[], response: ServerResponse) => unknown, maxBatch = 6) {
  const asked: number[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body: Asked | readonly Asked[] = JSON.parse(Buffer.concat(parts).toString());
      const calls = [body].flat();
      asked.push(calls.length);
      if (refuse(calls, response) === false) json(response, Array.isArray(body) ? answered(calls) : answered(calls)[0]);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const limits = { timeoutMs: 5_000, maxInFlight: 1, maxBatch, maxBodyBytes: 4_000 };
  const rpc = new HttpClient({ url, label: 'provider 1', ...limits });
  const round = (methods: readonly string[]) => Promise.allSettled(methods.map((method) => rpc.request(method)));
  return { asked, round };
}

const SIX = ['a', 'b', 'c', 'd', 'e', 'f'];
const fulfilled = (methods: readonly string[]) => methods.map((value) => ({ status: 'fulfilled', value }));

describe('a provider that takes batches of three and no more', () => {
  const words = { code: -32600, message: 'an unlisted message' };
  const ways: [string, (calls: readonly Asked[], response: ServerResponse) => unknown][] = [
    ['a status of 500', (_, response) => response.writeHead(500).end('oops')],
    ['a status of 413', (_, response) => response.writeHead(413).end()],
    ['a status of 429', (_, response) => response.writeHead(429).end()],
    ['one error for all', (_, response) => json(response, { id: null, error: words })],
    ['one error for all, in a list', (_, response) => json(response, [{ error: words }])],
    ['words of throttling', (_, response) => json(response, { error: { code: -32005, message: 'Limit Exceeded' } })],
    [
      'an error for each',
      (calls, response) =>
        json(
          response,
          calls.map(({ id }) => ({ id, error: words })),
        ),
    ],
    ['a page of a proxy', (_, response) => response.writeHead(200).end('<html>')],
    ['an empty list', (_, response) => json(response, [])],
    ['an answer to the first three', (calls, response) => json(response, answered(calls.slice(0, 3)))],
    ['an end of the connection', (_, response) => response.destroy()],
    [
      'too large an answer',
      (calls, response) =>
        json(
          response,
          calls.map(({ id }) => ({ id, result: 'x'.repeat(1_000) })),
        ),
    ],
  ];

  it.each(ways)('answers all calls where it refuses by %s', async (_, way) => {
    const { asked, round } = await ground((calls, response) => calls.length > 3 && way(calls, response));
    for (let n = 0; n < 3; n++) expect(await round(SIX)).toEqual(fulfilled(SIX));
    expect(asked.slice(-2)).toEqual([3, 3]);
  });
});

it('tries larger batches again after a streak of full ones, the more rarely the oftener they are refused', () => {
  const size = new BatchSize(50);
  /** Full batches until a larger one is tried. */
  const streak = () => {
    const before = size.now;
    for (let n = 1; ; n += 1) {
      size.answered(size.now);
      if (size.now > before) return n;
    }
  };
  size.refused(6);
  expect(size.now).toBe(50);
  size.refused(6);
  expect(size.now).toBe(3);
  const streaks = Array.from({ length: 4 }, () => {
    const needed = streak();
    size.refused(4);
    size.atMost(3);
    return needed;
  });
  expect(streaks).toEqual([64, 128, 256, 256]);
  let batches = 0;
  while (size.now < 50) batches += streak();
  expect(batches).toBeLessThan(1_500);
});

it.each(['first', 'second', 'last'])(
  'learns nothing about batches from one oversized answer, the %s',
  async (which) => {
    const methods = Array.from({ length: 50 }, (_, n) => `call ${n}`);
    const at = { first: 0, second: 1, last: 49 }[which] as number;
    const { asked, round } = await ground(
      (calls, response) =>
        calls.some(({ method }) => method === 'trace') &&
        json(
          response,
          calls.map(({ id, method }) => ({ id, result: method === 'trace' ? 'x'.repeat(5_000) : method })),
        ),
      50,
    );
    const results = await round(methods.with(at, 'trace'));
    expect(results[at]).toMatchObject({ status: 'rejected', reason: { failure: 'tooLarge' } });
    expect(results.toSpliced(at, 1)).toEqual(fulfilled(methods.toSpliced(at, 1)));
    const before = asked.length;
    await round(methods);
    expect(asked.slice(before)).toEqual([50]);
  },
);

it('asks a provider that refuses whatever it is asked once more, and no oftener', async () => {
  const { asked, round } = await ground((_, response) => response.writeHead(500).end(), 50);
  const results = await round(Array.from({ length: 50 }, (_, n) => `call ${n}`));
  expect(results.every((result) => result.status === 'rejected' && result.reason.failure === 'http')).toBe(true);
  expect(asked).toEqual([50, 1]);
});
