import { afterEach, expect, it } from 'vitest';
import type { Clock } from '../../src/contract/clock.js';
import { TransportError } from '../../src/rpc/errors.js';
import type { NamedHead } from '../../src/rpc/head-feed.js';
import type { Provider, ProviderPool } from '../../src/rpc/provider-pool.js';
import { ReserveHeads } from '../../src/rpc/reserve-heads.js';

type Client = { readonly calls: number; readonly isScarce?: boolean };

const providerOf = (index: number, isScarce = false): Provider<Client> => ({
  index,
  name: `provider ${index + 1}`,
  ws: undefined,
  rpc: { calls: 0, isScarce },
});

let heads: ReserveHeads<NamedHead, Client> | undefined;
afterEach(() => heads?.stop());

it('asks each provider in reserve once a round, passes heads on, and takes an unreachable one out of use', async () => {
  const all = [providerOf(0), providerOf(1), providerOf(2, true), providerOf(3)];
  const asked: number[] = [];
  const seen: [number, number][] = [];
  const failed: number[] = [];
  let wake = (): void => undefined;
  const clock = {
    sleep: (_ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        signal.addEventListener('abort', () => resolve());
      }),
  } as unknown as Clock;
  const pool = {
    active: () => all[0],
    usable: () => all.filter(({ index }) => !failed.includes(index)),
    sawHead: ({ index }: Provider<Client>, height: number) => seen.push([index, height]),
    failed: ({ index }: Provider<Client>) => failed.push(index),
  } as unknown as ProviderPool<Client>;
  const source = {
    read: async ({ index }: Provider<Client>) => {
      asked.push(index);
      if (index === 1) throw new TransportError('refused', 'none');
      return { height: 7, id: '7' };
    },
  };
  heads = new ReserveHeads(source, pool, clock);
  heads.start();
  wake();
  await expect.poll(() => asked).toEqual([1, 3]);
  await expect.poll(() => seen).toEqual([[3, 7]]);
  expect(failed).toEqual([1]);
  wake();
  await expect.poll(() => asked).toEqual([1, 3, 3]);
});
