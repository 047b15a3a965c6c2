import type { Clock } from '@causeway/core';
import { HttpClient, type Provider } from '@causeway/core/rpc';
import { jsonRpcFaultProxy, only } from '@causeway/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FeeRates, type FeeRules } from '../src/fees.js';
import { lacks } from './support/have-node.js';
import { type LocalNode, startNode, withCredentials } from './support/node.js';
import { services } from './support/services.js';

const RULES: FeeRules = { minRate: 2_000n, maxRate: 50_000n, targetBlocks: 2, incremental: 1_000n, maxAgeMs: 60_000 };

function handClock() {
  let now = 1_700_000_000_000;
  const tasks: { readonly ms: number; readonly task: () => void; next: number }[] = [];
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async () => undefined,
    every: (ms, task) => {
      const one = { ms, task, next: now + ms };
      tasks.push(one);
      return () => void tasks.splice(tasks.indexOf(one), 1);
    },
  };
  const pass = (ms: number): void => {
    now += ms;
    for (const one of tasks) {
      while (one.next <= now) {
        one.next += one.ms;
        one.task();
      }
    }
  };
  return { clock, pass, tasks };
}

describe.skipIf(lacks('bitcoin'))('fee rates', () => {
  let node: LocalNode;
  let proxy: Awaited<ReturnType<typeof jsonRpcFaultProxy>>;

  beforeAll(async () => {
    node = await startNode('bitcoin');
    proxy = await jsonRpcFaultProxy(node.url);
  });
  afterAll(async () => {
    await proxy?.close();
    await node?.stop();
  });

  function asked() {
    const rpc = new HttpClient({
      ...{ url: withCredentials(proxy.url), label: 'node', timeoutMs: 5_000, maxInFlight: 4, maxBatch: 1 },
    });
    return { runSurely: <T>(_: string, task: (provider: Provider) => Promise<T>) => task({ rpc } as Provider) };
  }

  const reported = (feerate: number | undefined) =>
    only('estimatesmartfee', { result: feerate === undefined ? { errors: ['Insufficient data'] } : { feerate } });

  it.each<[string, number | undefined, bigint]>([
    ['a node that knows nothing yet', undefined, 2_000n],
    ['one that estimates less than the least', 0.00001, 2_000n],
    ['one that estimates something in between', 0.00012345, 12_345n],
    ['one that estimates more than is ever offered', 0.5, 50_000n],
  ])('are those of %s, within the bounds of the config', async (_, feerate, expected) => {
    const { clock } = handClock();
    const rates = new FeeRates(RULES, { ...services(), clock });
    expect(rates.rate()).toBeUndefined();
    proxy.plan = reported(feerate);
    await rates.refresh(asked());
    expect(rates.rate()).toEqual({ value: expected, at: clock.now() });
  });

  it('are no less than what the pool asks for', async () => {
    const rates = new FeeRates({ ...RULES, minRate: 1n }, services());
    proxy.plan = only('getmempoolinfo', { result: { mempoolminfee: 0.00031, minrelaytxfee: 0.00001 } });
    await rates.refresh(asked());
    expect(rates.rate()?.value).toBe(31_000n);
  });

  it('count as known only for a limited time, and are read again without a new block', async () => {
    const { clock, pass } = handClock();
    const rates = new FeeRates(RULES, { ...services(), clock });
    proxy.plan = reported(0.0001);
    const end = rates.follow(asked());
    const before = proxy.count();
    pass(15_000);
    await expect.poll(() => rates.rate()?.value).toBe(10_000n);
    expect(proxy.count()).toBe(before + 2);
    proxy.plan = () => 'dropBefore';
    pass(60_000);
    expect(rates.rate()?.value).toBe(10_000n);
    pass(1);
    expect(rates.rate()).toBeUndefined();
    end();
  });
});
