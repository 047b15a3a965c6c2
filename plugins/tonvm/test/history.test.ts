import { setTimeout as delay } from 'node:timers/promises';
import type { DepositObservation, FillLeg } from '@causeway/core';
import { type RestFaultProxy, restFaultProxy } from '@causeway/core/testing';
import { toNano } from '@ton/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nameComment } from '../src/comments.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { addressOf, type Ground, ground } from './support/ground.js';
import { freshName, type Paying, paying } from './support/paying.js';
import { sendFrom } from './support/wallets.js';

/** Omissions and lags of a provider, from which nothing may be concluded. */
let place: Ground;
let proxy: RestFaultProxy;
let honest: TonvmAdapter;
let asked: TonvmAdapter;
let by: Paying;

beforeAll(async () => {
  place = await ground();
  proxy = await restFaultProxy(place.node.origin);
  honest = await place.adapter(place.node.url);
  asked = await place.adapter(`${proxy.url}/api/v2/jsonRPC`);
  by = paying(place, honest);
});
afterEach(async () => {
  proxy.heal();
  for (let n = 0; n < 200 && !asked.status().healthy; n += 1) await delay(20);
});
afterAll(async () => {
  for (const one of [honest, asked]) await one?.stop();
  await proxy?.close();
  await place?.node.stop();
});

/** Omits the second transaction of each list. */
function withholding(): void {
  proxy.plan = ({ body }) =>
    body.includes('"getTransactions"')
      ? {
          rewrite: ({ status, body: reported }) => {
            const answer = JSON.parse(reported) as { result?: unknown[] };
            answer.result?.splice(1, 1);
            return { status, body: JSON.stringify(answer) };
          },
        }
      : 'pass';
}

async function threeFills(): Promise<readonly [FillLeg, FillLeg, FillLeg]> {
  const legs = [await by.fill(), await by.fill(), await by.fill()] as const;
  for (const leg of legs) await by.land([leg]);
  return legs;
}

describe('of a history with a hole', () => {
  it('nothing is called unpaid', async () => {
    const [, leg] = await threeFills();
    const { timestamp } = await place.node.head();
    expect((await asked.paidBy(leg, 0))?.moved).toBe(leg.amount);
    withholding();
    await expect(asked.paidBy(leg, 0)).rejects.toThrow(/not what comes before/);
    await expect(asked.unfilledForGood(leg.orderId, Math.floor(timestamp / 1_000) - 1, 0)).rejects.toThrow();
  });

  it('no deposit is lost', async () => {
    const seen: DepositObservation[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      for await (const { deposits } of asked.watchDeposits(undefined, stop.signal)) seen.push(...deposits);
    })();
    await delay(200);
    const orders = [freshName(), freshName(), freshName()];
    withholding();
    const [user = place.vault] = place.users;
    const to = place.vault.contract.address;
    for (const orderId of orders)
      await sendFrom(place.client, user, { to, value: toNano(1), bounce: false, body: nameComment(orderId) });
    await place.node.dev('settle');
    await delay(400);
    const reported = () => seen.map(({ orderId }) => orderId);
    // Partial reports are fine, in order and without gaps.
    expect(reported()).toEqual(orders.slice(0, seen.length));
    proxy.heal();
    for (let n = 0; n < 300 && seen.length < orders.length; n += 1) await delay(20);
    stop.abort();
    await watching;
    expect(reported()).toEqual(orders);
  });
});

describe('a provider that is behind what was reported before', () => {
  it('gives out no number twice, and makes nothing unsent', async () => {
    const leg = await by.fill();
    const { view } = await by.land([leg]);
    expect((await asked.look([view]))[0]?.state).toBe('spent');
    const signer = addressOf(place.fill);
    const position = await asked.keys.lanePosition(signer);
    for (let n = 0; n < 200 && (asked.status().head?.value ?? 0) < (await place.node.head()).height; n += 1)
      await delay(20);
    proxy.plan = () => ({ ask: '/behind/6/api/v2/jsonRPC' });
    await expect(asked.keys.lanePosition(signer)).rejects.toThrow(/lags/);
    expect((await asked.look([view]))[0]?.state).toBe('unknown');
    expect(await asked.check(await by.fill(), signer)).toMatchObject({ ok: false, kind: 'unavailable' });
    proxy.heal();
    for (let n = 0; n < 200 && !asked.status().healthy; n += 1) await delay(20);
    expect(await asked.keys.lanePosition(signer)).toBe(position);
  });
});

// Last, because the adapter then asks this provider for small pages.
describe('of a history that ends early', () => {
  /** Refuses pages beyond its history, in the provider's own words. */
  const most = (entries: number) => {
    proxy.plan = ({ body }) => {
      const { method, params } = JSON.parse(body || '{}') as { method?: string; params?: { limit?: number } };
      const isLarge = method === 'getTransactions' && (params?.limit ?? 0) > entries;
      return isLarge ? { status: 500, body: JSON.stringify({ ok: false, error: 'lt not in db', code: 500 }) } : 'pass';
    };
  };

  it.each([10, 1])('as much is read as it answers: %i at once', async (entries) => {
    const before = proxy.faulted().length;
    most(entries);
    const seen: DepositObservation[] = [];
    const stop = new AbortController();
    const watching = (async () => {
      for await (const { deposits } of asked.watchDeposits(undefined, stop.signal)) seen.push(...deposits);
    })();
    await delay(200);
    const orderId = freshName();
    const [user = place.vault] = place.users;
    const to = place.vault.contract.address;
    await sendFrom(place.client, user, { to, value: toNano(1), bounce: false, body: nameComment(orderId) });
    await place.node.dev('settle');
    for (let n = 0; n < 200 && seen.length === 0; n += 1) await delay(20);
    stop.abort();
    await watching;
    expect(seen.map((one) => one.orderId)).toEqual([orderId]);
    expect(proxy.faulted().length - before).toBeLessThanOrEqual(6);
  });
});
