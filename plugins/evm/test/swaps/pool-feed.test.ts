import type { Hex } from '@causeway/core';
import type { Providers } from '@causeway/core/rpc';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SwapConfig } from '../../src/swaps/config.js';
import { PoolFeed } from '../../src/swaps/pool-feed.js';
import type { Head } from '../../src/watch/heads.js';
import { clock, countingMetrics, recordingAlerts, recordingLogger } from '../support/services.js';

const address = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`;
const NOWHERE: Hex = `0x${'0'.repeat(64)}`;
const CONFIG: SwapConfig = {
  tokens: [address(1), address(2)],
  wrapped: address(1),
  maxHops: 3,
  maxAgeMs: 60_000,
  pairs: { factory: address(3), router: address(4), fee: 3_000 },
};

let feed: PoolFeed | undefined;

afterEach(() => feed?.stop());

/** The provider refuses the first `failures` calls; the chain has no further blocks. */
function quietChain(failures: number) {
  const request = vi.fn(async () => {
    if (request.mock.calls.length <= failures) throw new Error('not now');
    return NOWHERE;
  });
  const providers = { usable: () => [] } as Partial<Providers> as Providers;
  const services = { clock, log: recordingLogger(), alerts: recordingAlerts(), metrics: countingMetrics() };
  const made = new PoolFeed({ id: 1, name: 'quiet' }, CONFIG, providers, services);
  feed = made;
  const block = { height: 7, id: address(7), parentHash: address(6), timestamp: 0, baseFee: null } as const;
  const head = { ...block, logsBloom: undefined, empty: false, provider: { rpc: { request } }, at: clock.now() };
  return { made, request, head: head as unknown as Head };
}

describe('the pools of a chain that is quiet', () => {
  it('are read again after a read that failed, without a new block', async () => {
    const { made, head } = quietChain(1);
    made.onHead(head);
    await vi.waitFor(() => expect(made.known('pair')?.height).toBe(7), 5_000);
  });

  it('are read at once where another block comes meanwhile, and not again once that is read', async () => {
    const { made, request, head } = quietChain(1);
    made.onHead(head);
    await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(1));
    made.onHead({ ...head, height: 8, id: address(8), parentHash: head.id });
    await vi.waitFor(() => expect(made.height).toBe(8), 800);
    await clock.sleep(1_200);
    expect(made.height).toBe(8);
    expect(request).toHaveBeenCalledTimes(2);
  });

  it('are not waited for by what stops', async () => {
    const { made, request, head } = quietChain(1_000);
    made.onHead(head);
    await vi.waitFor(() => expect(request).toHaveBeenCalledTimes(1));
    const before = clock.monotonic();
    await made.stop();
    expect(clock.monotonic() - before).toBeLessThan(900);
  });
});
