import { setTimeout as delay } from 'node:timers/promises';
import type { DepositObservation } from '@causeway/core';
import { toNano } from '@ton/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NATIVE } from '../src/addresses.js';
import { nameComment } from '../src/comments.js';
import type { TonvmAdapter } from '../src/tonvm-adapter.js';
import { addressOf, type Ground, ground } from './support/ground.js';
import { freshName, paying } from './support/paying.js';
import { sendFrom } from './support/wallets.js';

/** A scarce provider; the public service's one request per second would be too slow here. */
const PER_SECOND = 5;

let place: Ground;
let adapter: TonvmAdapter;

interface Asked {
  readonly asked: Readonly<Record<string, number>>;
  readonly refused: number;
}

const asked = () => place.node.dev<Asked>('asked');
const total = ({ asked: reported }: Asked) => Object.values(reported).reduce((sum, count) => sum + count, 0);

async function settled(): Promise<void> {
  const { height } = await place.node.head();
  for (let n = 0; n < 500 && (adapter.status().head?.value ?? 0) < height; n += 1) await delay(20);
  expect(adapter.status().head?.value).toBe(height);
}

beforeAll(async () => {
  place = await ground();
  await place.node.dev('limit', { perSecond: PER_SECOND });
  adapter = await place.adapter(place.node.url, {
    ...{ rpc: [{ http: place.node.url, perSecond: PER_SECOND }], pollMs: 500, timeoutMs: 5_000 },
  });
  // Jettons are learnt in the background, and read with the next head.
  const isKnown = ({ currency }: { readonly currency: string }) => adapter.legCost('fill', currency) !== undefined;
  for (let n = 0; n < 500 && ![place.jetton, place.keeping].every(isKnown); n += 1) await delay(20);
  await place.node.dev('mine');
  await settled();
}, 60_000);
afterAll(async () => {
  await adapter?.stop();
  await place?.node.stop();
});

describe('a provider that takes few requests', () => {
  it('is asked once for a look, and thrice more for a head with two jettons', { timeout: 20_000 }, async () => {
    await delay(1_200);
    await asked();
    await delay(2_000);
    const idle = await asked();
    expect(idle.refused).toBe(0);
    expect(Object.keys(idle.asked)).toEqual(['getAddressInformation']);
    expect(total(idle)).toBeLessThanOrEqual(5);
    await place.node.dev('mine');
    await settled();
    const head = await asked();
    expect(head.asked['getBlockHeader']).toBe(1);
    expect(total(head)).toBeLessThanOrEqual(6);
  });

  it('reports deposits and takes fills, and refuses nothing', { timeout: 40_000 }, async () => {
    const [user] = place.users;
    if (user === undefined) throw new Error('no payer');
    const stop = new AbortController();
    const seen: DepositObservation[] = [];
    const watching = (async () => {
      for await (const { deposits } of adapter.watchDeposits(undefined, stop.signal)) seen.push(...deposits);
    })();
    await settled();
    await delay(1_000);
    const orderId = freshName();
    await place.node.dev('limit', { perSecond: 0 });
    const to = place.vault.contract.address;
    await sendFrom(place.client, user, { to, value: toNano(3), bounce: false, body: nameComment(orderId) });
    await place.node.dev('limit', { perSecond: PER_SECOND });
    await place.node.dev('settle');
    await asked();
    for (let n = 0; n < 500 && seen.length === 0; n += 1) await delay(20);
    expect(seen).toMatchObject([{ orderId, amount: toNano(3), currency: NATIVE }]);
    const pay = paying(place, adapter);
    const leg = await pay.fill();
    expect(await pay.land([leg])).toMatchObject({ state: 'spent', ok: true, effects: [{ done: true }] });
    expect(await place.node.dev<Asked>('asked')).toMatchObject({ refused: 0 });
    expect(adapter.laneBalance(addressOf(place.fill), NATIVE)?.at).toBeGreaterThan(Date.now() - 20_000);
    stop.abort();
    await watching;
  });
});
