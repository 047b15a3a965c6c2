import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { burntBy, type Integrator, linkIntegrator } from '../support/app-balance.js';
import { type BatchWallet, batchWallet, executeQuote } from '../support/batched-quote.js';
import { postPermit, signPermit } from '../support/permits.js';
import { fund, newAddress, newUser } from '../support/wallet.js';
import { type Ask, type Order, World } from '../support/world.js';

/** Micro-USD. */
const BALANCE = 50_000_000n;
const usd = (amount: string) => parseUnits(amount, 6);

let world: World;
let integrator: Integrator;
/** Fees that quotes promised to sponsor so far, micro-USD. */
let promised = 0n;
/** Transactions whose gas is part of a quote's fees. */
const byPermit = new Set<string>();

beforeAll(async () => {
  world = await World.start({ gasless: true, permits: true, venues: true, payerSwaps: true });
  integrator = await linkIntegrator(world, BALANCE);
}, 120_000);

afterAll(async () => {
  await world?.close();
});

async function ordered(ask: Omit<Ask, 'from' | 'input' | 'keyed'>): Promise<Order> {
  const order = await world.order({ ...ask, from: world.a, input: 'USDC', keyed: true });
  promised += BigInt(order.quote.fees.subsidized.amount);
  return order;
}

const sponsored = (wallet: BatchWallet, amount: bigint) =>
  ordered({ amount, user: wallet.user, body: { subsidizeFees: true } });

/** Once everything is final and no reservation is open. */
async function settledBalance(): Promise<bigint> {
  for (let tries = 0; tries < 60; tries += 1) {
    await world.finalise();
    const { balance, reserved } = await integrator.balance();
    if (reserved === 0n) return balance;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  throw new Error('a reservation stays open');
}

describe('an order whose fees are sponsored', () => {
  const amount = usd('25');

  it('is deposited for a user without coin, who pays the amount, and all of it arrives', async () => {
    const wallet = await batchWallet(world.a, { USDC: amount });
    const order = await sponsored(wallet, amount);
    expect(order.amountOut).toBe(amount);
    await executeQuote(world, wallet, order);
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(amount);
    expect(await world.a.balance(wallet.user.address, 'USDC')).toBe(0n);
    await settledBalance();
    const record = await world.rest.request(order.requestId);
    expect(record).toMatchObject({ status: 'success', requestType: 'Bridge', features: ['gasless_execution'] });
    const { quoted, actual } = (record.data as unknown as { feeSponsorship: Record<'quoted' | 'actual', object> })
      .feeSponsorship;
    expect(actual).toMatchObject({
      ...quoted,
      selectedComponents: ['execution', 'swap', 'platform', 'app'],
      sponsoredTotal: { amount: order.quote.fees.subsidized.amount },
      userPaysTotal: { amount: '0' },
    });
    const { sponsorPayment } = actual as { readonly sponsorPayment: { readonly amount: string } };
    expect(BigInt(sponsorPayment.amount)).toBe(BALANCE - (await settledBalance()));
  });

  it('is deposited and filled once though the service is killed, and taken from the balance once', async () => {
    for (const delay of [0, 150, 600]) {
      const wallet = await batchWallet(world.a, { USDC: amount });
      const order = await sponsored(wallet, amount);
      await executeQuote(world, wallet, order);
      await new Promise((resolve) => setTimeout(resolve, delay));
      await world.service.kill();
      await world.boot();
      await world.becomes(order, 'success');
      expect(await world.b.balance(order.recipient, 'USDC')).toBe(amount);
    }
  });
});

describe('a swap within one chain', () => {
  const amount = usd('200');

  it('is executed from the account of a user without coin', async () => {
    const wallet = await batchWallet(world.a, { USDC: amount });
    const order = await ordered({ to: world.a, output: 'ETH', amount, user: wallet.user });
    expect(order.quote.steps.at(-1)?.id).toBe('swap');
    await executeQuote(world, wallet, order);
    await world.becomes(order, 'success', { mining: true });
    expect(await world.a.balance(order.recipient, 'ETH')).toBeGreaterThanOrEqual(order.minimumOut);
    expect(await world.a.balance(wallet.user.address, 'USDC')).toBe(0n);
    expect(await world.rest.request(order.requestId)).toMatchObject({
      ...{ status: 'success', requestType: 'Same-chain Swap', features: ['gasless_swap'] },
    });
  });

  it('takes a permit where the app balance pays its fees', async () => {
    const user = newUser();
    await fund(world.a, user.address, { USDC: amount, ETH: 0n });
    const body = { usePermit: true, subsidizeFees: true };
    const order = await ordered({ to: world.a, output: 'ETH', amount, user, body });
    expect(order.quote.steps.at(-1)?.id).toBe('authorize2');
    await postPermit(world, order.quote, await signPermit(user, order.quote));
    await world.becomes(order, 'success', { mining: true });
    expect(await world.a.balance(order.recipient, 'ETH')).toBe(order.amountOut);
    expect(await world.a.balance(user.address, 'USDC')).toBe(0n);
    const record = await world.rest.request(order.requestId);
    expect(record).toMatchObject({ requestType: 'Same-chain Swap', features: ['gasless_execution', 'gasless_swap'] });
    for (const { txHash } of record.data.inTxs) byPermit.add(txHash);
  });

  it('takes none where it does not', async () => {
    const asked = { to: world.a, output: 'ETH', amount, body: { usePermit: true } };
    await expect(ordered({ ...asked, recipient: newAddress() })).rejects.toThrow('UNSUPPORTED_EXECUTION_TYPE');
  });
});

it('took from the balance the sponsored fees and what the calls burnt, once each', async () => {
  expect(await settledBalance()).toBe(
    BALANCE - promised - (await burntBy(world.a, [world.keys.executor.address.toLowerCase()], byPermit)),
  );
});
