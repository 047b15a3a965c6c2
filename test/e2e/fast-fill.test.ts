import { type Hex, parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSponsor, type Sponsor } from '../support/app-balance.js';
import { Rest } from '../support/rest.js';
import { sleep, until } from '../support/until.js';
import { newAddress, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;
let sponsor: Sponsor;
let unlinked: Sponsor;

/** Deposits of more than 100,000 dollars wait for two blocks. */
const LARGE = parseEther('60');
/** Micro-USD; the value of a deposit at 2,000 dollars a coin. */
const [BALANCE, RISK] = [200_000_000_000n, 120_000_000_000n];

const FUNDING = newAddress().toLowerCase();

beforeAll(async () => {
  world = await World.prepare({ collectMinUsd: '1000000000' });
  sponsor = await addSponsor(world, BALANCE, FUNDING);
  unlinked = await addSponsor(world, BALANCE, null);
  await world.boot();
});

afterAll(async () => {
  await world?.close();
});

const as = ({ apiKey }: Sponsor) => new Rest(world.rest.baseUrl, apiKey, world.rest.adminKey);

async function fastFill(requestId: string, { by = sponsor as Sponsor | null, more = {} as object } = {}) {
  const key = by === null ? {} : { key: by.apiKey };
  const body = { requestId, ...more };
  return world.rest.call<{ readonly message: string }>('POST', '/fast-fill', { body, ...key });
}

async function balance(): Promise<{ readonly balance: bigint; readonly reserved: bigint }> {
  const { body } = await world.rest.call<{ balance: string; reserved: string }>('GET', '/app-balance', {
    key: sponsor.apiKey,
  });
  return { balance: BigInt(body.balance), reserved: BigInt(body.reserved) };
}

/** US dollars. */
async function atRisk(): Promise<number> {
  const path = `/app-fees/${FUNDING}/balances`;
  const { body } = await world.rest.call<{ outstandingFastFillBalanceUsd: number }>('GET', path);
  return body.outstandingFastFillBalanceUsd;
}

/** Paid, and waiting for depth: no block follows by itself. */
async function waiting(by = sponsor): Promise<{ readonly order: Order; readonly hash: Hex }> {
  const order = await world.order({ amount: LARGE, user: await world.user({ ETH: LARGE * 2n }), keyed: true }, as(by));
  const hash = await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'pending');
  await sleep(500);
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
  return { order, hash };
}

const booked = (reserved: bigint, left: bigint) =>
  until('the app balance is booked', async () => {
    await Promise.all(world.chains.map((chain) => chain.nudge()));
    const now = await balance();
    return now.reserved === reserved && now.balance === left ? true : undefined;
  });

describe('a fill before the deposit is deep enough', () => {
  it('is at the risk of the app balance, which is free again once the deposit is final', async () => {
    const { order } = await waiting();
    expect(await fastFill(order.requestId)).toMatchObject({ status: 200 });
    // One block, of the two that the deposit would wait for.
    await world.a.mine();
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
    expect((await balance()).reserved).toBe(RISK);
    expect(await atRisk()).toBe(Number(RISK) / 1_000_000);
    const record = await world.rest.request(order.requestId);
    expect(record).toMatchObject({ features: ['fast_fill'], data: { triggeredByFastFill: true } });
    await world.finalise();
    await booked(0n, BALANCE);
    expect(await atRisk()).toBe(0);
    expect(await fastFill(order.requestId)).toMatchObject({ status: 200, body: { message: /decided already/ } });
  });

  it('is refused without a key, a linked address, a deposit of the own request, or where it risks too much', async () => {
    const { order } = await waiting();
    const { requestId } = order;
    expect(await fastFill(requestId, { by: null })).toMatchObject({ status: 401 });
    expect(await fastFill(requestId, { by: unlinked })).toMatchObject({ status: 403 });
    const foreign = await waiting(unlinked);
    expect(await fastFill(foreign.order.requestId)).toMatchObject({ status: 404 });
    expect(await fastFill(`0x${'00'.repeat(32)}`)).toMatchObject({ status: 404 });
    expect(await fastFill(requestId, { more: { maxFillAmountUsd: 119_999 } })).toMatchObject({ status: 400 });
    expect(await fastFill(requestId, { more: { solverInputCurrencyAmount: String(LARGE + 1n) } })).toMatchObject({
      status: 400,
    });
    await world.becomes(order, 'success', { mining: true });
    await world.becomes(foreign.order, 'success', { mining: true });
    expect((await balance()).reserved).toBe(0n);
  });

  it('is paid by the app balance where a reorganisation takes the deposit away, and repaid where it comes back', async () => {
    const { order, hash } = await waiting();
    const raw = await world.a.client.request<{
      Method: 'eth_getRawTransactionByHash';
      Parameters: [Hex];
      ReturnType: Hex;
    }>({ method: 'eth_getRawTransactionByHash', params: [hash] });
    expect(await fastFill(order.requestId)).toMatchObject({ status: 200 });
    // One block, of the two that the deposit would wait for.
    await world.a.mine();
    await world.becomes(order, 'success');
    await world.a.reorgOut(hash);
    await world.a.mine();
    await world.becomes(order, 'failure');
    await booked(0n, BALANCE - RISK);
    // More than is left.
    const next = await waiting();
    expect(await fastFill(next.order.requestId)).toMatchObject({
      status: 400,
      body: { errorCode: 'SPONSOR_BALANCE_TOO_LOW' },
    });
    await world.a.client.sendRawTransaction({ serializedTransaction: raw });
    await world.a.mine();
    await world.finalise();
    await booked(0n, BALANCE);
    await world.becomes(next.order, 'success', { mining: true });
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  });
});

it('leaves books that balance', async () => {
  await world.finalise();
  expect(await world.rest.audit()).toMatchObject({ balanced: true });
});
