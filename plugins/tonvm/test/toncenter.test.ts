import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RpcError, TransportError } from '@causeway/core/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newPace, Toncenter, type ToncenterSettings, Unreached } from '../src/http/toncenter.js';
import { services } from './support/services.js';

interface Reply {
  readonly status?: number;
  readonly body: string;
  readonly afterMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

let server: Server;
let origin: string;
let reply: Reply = { body: '' };
const heard: { readonly body: unknown; readonly key: unknown; readonly auth: unknown; readonly at: number }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers } = request;
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
      heard.push({ body, key: headers['x-api-key'], auth: headers.authorization, at: performance.now() });
      const { status = 200, body: text, afterMs = 0, headers: reported = {} } = reply;
      setTimeout(
        () => response.writeHead(status, { 'content-type': 'application/json', ...reported }).end(text),
        afterMs,
      );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  heard.length = 0;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function client(more: Partial<ToncenterSettings> = {}): Toncenter {
  const { clock } = services();
  const base = { url: `${origin}/api/v2/jsonRPC`, label: 'provider 1', timeoutMs: 300, perSecond: 0, clock };
  return new Toncenter({ ...base, onExchange: () => undefined, ...more });
}

const failing = async (one: Reply, more: Partial<ToncenterSettings> = {}): Promise<unknown> => {
  reply = one;
  return await client(more)
    .call('getMasterchainInfo')
    .then(
      () => 'nothing',
      (error: unknown) => error,
    );
};
const refused = (error: string, status = 500): Reply => ({
  status,
  body: JSON.stringify({ ok: false, error, code: status }),
});

describe('a provider of the toncenter API', () => {
  it('is asked by names, with its key and its credentials in headers', async () => {
    reply = { body: JSON.stringify({ ok: true, result: { seqno: 5 }, jsonrpc: '2.0', id: '1' }) };
    const url = `${origin.replace('://', '://user:word@')}/api/v2/jsonRPC`;
    expect(await client({ url, apiKey: 'k' }).call('lookupBlock', { workchain: -1 })).toEqual({ seqno: 5 });
    expect(heard[0]?.body).toEqual({ id: '1', jsonrpc: '2.0', method: 'lookupBlock', params: { workchain: -1 } });
    expect([heard[0]?.key, heard[0]?.auth]).toEqual(['k', `Basic ${Buffer.from('user:word').toString('base64')}`]);
  });

  it('refuses in its own words, whatever the status', async () => {
    for (const one of [
      refused('LITE_SERVER_UNKNOWN: cannot apply external message to current state'),
      refused('Incorrect address', 422),
      refused('message not found@', 404),
      refused('no', 200),
    ])
      expect(await failing(one)).toBeInstanceOf(RpcError);
  });

  it('says nothing where it could not answer, is full, or a third party on the way answers', async () => {
    for (const [one, failure] of [
      [refused('LITE_SERVER_NETWORK: timeout'), 'malformed'],
      [refused('LITE_SERVER_NOTREADY: block is not applied'), 'malformed'],
      [{ status: 429, body: '{"ok":false,"result":"Ratelimit exceed","code":429}' }, 'rate'],
      [{ status: 403, body: '{"message":"forbidden"}' }, 'http'],
      [{ status: 401, body: '{"ok":false,"error":"no key","code":401}' }, 'http'],
      [{ status: 502, body: '<html>bad gateway</html>' }, 'http'],
      [{ body: 'not json' }, 'http'],
      [{ body: '{"result":{}}' }, 'http'],
      [{ body: '{"ok":true}' }, 'http'],
      [{ body: '{"ok":true,"result":null}' }, 'http'],
      [{ body: '{}', afterMs: 600 }, 'timeout'],
    ] as const) {
      const error = await failing(one);
      expect(error).toBeInstanceOf(TransportError);
      expect((error as TransportError).failure, JSON.stringify(one)).toBe(failure);
      expect((error as Error).message).not.toContain(origin);
    }
  });

  it('says whether the question may have reached a node that can run code', async () => {
    const reached: (readonly [Reply, boolean])[] = [
      [refused('LITE_SERVER_NETWORK: timeout for adnl query query'), false],
      [refused('LITE_SERVER_NOTREADY: block is not applied'), false],
      [{ status: 401, body: '{}' }, false],
      [{ status: 502, body: '<html>bad gateway</html>' }, false],
      [{ status: 503, body: '' }, false],
      [{ status: 500, body: 'Internal Server Error' }, true],
      [{ status: 504, body: '<html>timeout</html>' }, true],
      [refused('request timed out'), true],
      [{ body: 'not json' }, true],
    ];
    for (const [one, was] of reached) expect((await failing(one)) instanceof Unreached, JSON.stringify(one)).toBe(!was);
    const nowhere = client({ url: 'http://127.0.0.1:9/api/v2/jsonRPC' }).call('getMasterchainInfo');
    await expect(nowhere).rejects.toThrow(Unreached);
  });

  it('is read no further than it may be', async () => {
    const body = `{"ok":true,"result":"${'x'.repeat(17 * 1024 * 1024)}"}`;
    // Independent of the machine's upload speed.
    const error = await failing({ body }, { timeoutMs: 30_000 });
    expect((error as TransportError).failure).toBe('tooLarge');
  });

  it('is asked at even distances where it takes few requests', async () => {
    reply = { body: '{"ok":true,"result":1}' };
    const waited: number[] = [];
    // The clock stands still, so that the pauses are the requested ones.
    const clock = { ...services().clock, monotonic: () => 1_000, sleep: async (ms: number) => void waited.push(ms) };
    const slow = client({ perSecond: 20, clock });
    await Promise.all([1, 2, 3, 4].map(() => slow.call('getMasterchainInfo')));
    expect(waited).toEqual([50, 100, 150]);
    expect(slow.calls).toBe(4);
  });

  it('is asked for no more in a second than it takes, however long its answers travel', async () => {
    reply = { body: '{"ok":true,"result":1}', afterMs: 60 };
    const slow = client({ perSecond: 4, timeoutMs: 2_000 });
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => slow.call('getMasterchainInfo')));
    const times = heard.map(({ at }) => at);
    for (let n = 4; n < times.length; n += 1)
      expect((times[n] ?? 0) - (times[n - 4] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it('holds up payments for a second at most while third parties use all their places, and has no more of theirs under way', async () => {
    const { clock } = services();
    const pace = newPace();
    const settings = { url: `${origin}/api/v2/jsonRPC`, label: 'provider 1', perSecond: 20, clock };
    const common = { ...settings, timeoutMs: 9_000, onExchange: () => undefined };
    const paying = new Toncenter(common, pace);
    const theirs = new Toncenter({ ...common, apart: { maxInFlight: 2, maxBodyBytes: 1_000 } }, pace);
    reply = { body: '{"ok":true,"result":1}', afterMs: 5_000 };
    const asked = [1, 2, 3].map(() => theirs.call('runGetMethod'));
    for (let n = 0; n < 100 && heard.length < 2; n += 1) await clock.sleep(10);
    reply = { body: '{"ok":true,"result":1}' };
    const started = performance.now();
    // More than one second's worth of requests.
    for (let n = 0; n < 22; n += 1) await paying.call('getMasterchainInfo');
    expect(performance.now() - started).toBeLessThan(4_000);
    const methods = heard.map(({ body }) => (body as { readonly method: string }).method);
    expect(methods.filter((method) => method === 'runGetMethod')).toHaveLength(2);
    await Promise.all(asked);
    expect(heard).toHaveLength(25);
    reply = { body: `{"ok":true,"result":"${'x'.repeat(1_000)}"}` };
    await expect(theirs.call('runGetMethod')).rejects.toMatchObject({ failure: 'tooLarge' });
  });

  it('is left alone after it refused, longer each time, or as long as it wishes', async () => {
    let now = 0;
    const sleep = async (ms: number) => {
      now += ms;
    };
    const clock = { ...services().clock, monotonic: () => now, sleep };
    const busy = client({ clock });
    const askedAt = async (one: Reply) => {
      reply = one;
      await busy.call('getMasterchainInfo').catch(() => undefined);
      return now;
    };
    const full = (headers = {}): Reply => ({ status: 429, headers, body: '{"ok":false,"result":"Ratelimit exceed"}' });
    const taken: Reply = { body: '{"ok":true,"result":1}' };
    const times = [];
    for (const one of [full(), full(), full(), full({ 'retry-after': '7' }), taken, taken, full(), taken])
      times.push(await askedAt(one));
    // 1, 2 and 4 s; the requested 7 s; none after an answer; 1 s again.
    expect(times).toEqual([0, 1_000, 3_000, 7_000, 14_000, 14_000, 14_000, 15_000]);
  });
});
