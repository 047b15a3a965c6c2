import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../src/ports/system-clock.js';
import { type PoolServices, type Provider, Providers, RestProviders, type Side, sideOf } from '../../src/rpc/index.js';
import { limitsOf } from '../../src/rpc/sides.js';

const quiet = () => undefined;
const services = (): PoolServices => {
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const alerts = { raise: quiet, clear: quiet };
  return {
    ...{ clock: systemClock, log: log as never, alerts: alerts as never },
    metrics: { count: quiet, observe: quiet, gauge: quiet } as never,
  };
};
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** The first provider never answers `slow`. `open`: such exchanges. */
async function ground() {
  let open = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      if (!`${request.url} ${body}`.includes('slow')) {
        const calls: { readonly id: number }[] = body === '' ? [] : [JSON.parse(body)].flat();
        const replies = calls.map(({ id }) => ({ id, result: 'quick' }));
        return response.end(JSON.stringify(replies.length === 1 ? replies[0] : replies));
      }
      open += 1;
      response.on('close', () => (open -= 1));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const common = { chainId: 1, path: 'chains[0]', endpoints: [{ http }], timeoutMs: 2_000, maxInFlight: 8 };
  const identify = async () => ({ is: 'right' as const });
  return { common, identify, opened: () => open };
}

it('a side has fewer places than what pays', () => {
  const most = { timeoutMs: 60_000, maxInFlight: 64, maxBatch: 50 };
  expect(limitsOf(undefined, most)).toEqual(most);
  for (const side of ['trials', 'traces', 'transfers', 'descriptions', 'pools', 'calls'] as const)
    expect(limitsOf(side, most).maxInFlight).toBeLessThanOrEqual(16);
  expect(limitsOf('trials', { ...most, maxInFlight: 3 }).maxInFlight).toBe(3);
});

it.each<Side>(['trials', 'traces', 'transfers', 'descriptions', 'pools', 'calls'])(
  '%s take no place of what pays, and end when no caller waits',
  async (side) => {
    const { common, identify, opened } = await ground();
    const providers = new Providers({ ...common, identify, maxBatch: 50 }, services());
    await providers.start();
    const over = new AbortController();
    const slow = Array.from({ length: 30 }, () =>
      providers.onSide(side, ({ rpc }) => rpc.request<string>('slow'), over.signal).catch(({ failure }) => failure),
    );
    await expect.poll(opened).toBeGreaterThan(0);
    expect(opened()).toBeLessThanOrEqual(8);
    const before = performance.now();
    expect(await providers.call('quick')).toBe('quick');
    expect(performance.now() - before).toBeLessThan(1_000);
    over.abort();
    expect(new Set(await Promise.all(slow))).toEqual(new Set(['unwanted']));
    await expect.poll(opened).toBe(0);
    expect(await providers.onSide(side, ({ rpc }) => rpc.request('quick'))).toBe('quick');
    // Neither a cancelled nor a late call counts against the provider.
    await expect(providers.onSide(side, ({ rpc }) => rpc.request('slow'))).rejects.toMatchObject({
      failure: 'timeout',
    });
    expect(providers.problem()).toBeNull();
    providers.stop();
  },
);

it('ends what is asked by paths as well', async () => {
  const { common, identify, opened } = await ground();
  const providers = new RestProviders({ ...common, identify }, services());
  await providers.start();
  const over = new AbortController();
  const slow = Array.from({ length: 30 }, () =>
    providers.onSide('trials', ({ rpc }) => rpc.get('/slow'), over.signal).catch(({ failure }) => failure),
  );
  await expect.poll(opened).toBeGreaterThan(0);
  expect(await providers.run(({ rpc }) => rpc.post('/quick', '[]'))).toEqual([]);
  over.abort();
  expect(new Set(await Promise.all(slow))).toEqual(new Set(['unwanted']));
  await expect.poll(opened).toBe(0);
  providers.stop();
});

it('names one side of a provider, no matter who waits for it', async () => {
  const { common, identify } = await ground();
  const providers = new Providers({ ...common, identify, maxBatch: 50 }, services());
  await providers.start();
  const provider = providers.active() as Provider;
  const bound = sideOf(provider, 'trials', new AbortController().signal);
  expect(bound.home).toBe(sideOf(provider, 'trials'));
  expect(sideOf(bound, 'traces')).toBe(sideOf(provider, 'traces'));
  providers.stop();
});
