import { claimAppFees, getAppFees } from '@relayprotocol/relay-sdk';
import { encodeFunctionData, parseEther, parseUnits } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { testNft } from '../../plugins/evm/src/generated/contracts.js';
import { deploy } from '../support/contracts.js';
import { until } from '../support/until.js';
import { approve, newAddress, walletOf } from '../support/wallet.js';
import { World } from '../support/world.js';
import { askedFor, delivered, lastItem, play, SOURCE, sdkOf, sdkOrder, unserved } from './sdk.js';

let world: World;

beforeAll(async () => {
  world = await World.start();
});

beforeEach(async () => {
  await sdkOf(world);
});

afterEach(() => {
  expect(unserved).toEqual([]);
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);

describe('the SDK, polling', () => {
  it('bridges native coin, and reports every stage', async () => {
    const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('1') });
    expect(order.quote.steps.map((step) => step.id)).toEqual(['deposit']);

    const played = await play(world, order);

    const status = await delivered(world, order, played);
    const { progress } = played;
    expect(progress.map((one) => one.progressState)).toEqual(expect.arrayContaining(['confirming', 'validating']));
    expect(progress.some((one) => one.error !== undefined || one.refunded)).toBe(false);
    const item = lastItem(played);
    expect(item).toMatchObject({ status: 'complete', progressState: 'complete', checkStatus: 'success' });
    expect(item.txHashes).toEqual(status.txHashes.map((txHash) => ({ txHash, chainId: world.b.id })));
    expect(item.internalTxHashes).toMatchObject(status.inTxHashes.map((txHash) => ({ txHash, chainId: world.a.id })));
    // Keyless status polling of the SDK, with its referrer.
    const polls = askedFor('/intents/status/v3?');
    expect(polls.length).toBeGreaterThan(0);
    for (const poll of polls) expect(poll.path).toContain(`requestId=${order.requestId}`);
    for (const poll of polls) expect(poll.path).toContain(`referrer=${SOURCE}`);
    expect(askedFor('/transactions/index')).toHaveLength(1);
  });

  it('bridges a token: approves, waits for that alone, deposits', async () => {
    const user = await world.user({ USDC: usd('250') });
    const order = await sdkOrder(world, { user, input: 'USDC', amount: usd('250') });

    const played = await play(world, order);

    await delivered(world, order, played);
    expect([...new Set(played.progress.map((one) => one.step))]).toEqual(['approve', 'deposit', undefined]);
    expect(played.data?.steps.map((step) => step.items.map((item) => item.status))).toEqual([
      ['complete'],
      ['complete'],
    ]);
    expect(await world.a.balance(user.address, 'USDC')).toBe(0n);
  });

  it('bridges a token that wants its allowance reset first', async () => {
    const user = await world.user({ USDT: usd('300') });
    await approve(world.a, user, 'USDT', usd('7'));
    const order = await sdkOrder(world, { user, input: 'USDT', amount: usd('300') });
    await delivered(world, order, await play(world, order));
    expect(order.quote.steps.map((step) => step.id)).toEqual(['approve', 'approve', 'deposit']);
    expect(await world.a.balance(user.address, 'USDT')).toBe(0n);
  });

  it('turns a token into native coin for another account', async () => {
    const user = await world.user({ USDC: usd('2000') });
    const recipient = newAddress();
    const order = await sdkOrder(world, { user, input: 'USDC', output: 'ETH', amount: usd('2000'), recipient });
    expect(order.quote.details.recipient.toLowerCase()).toBe(recipient.toLowerCase());
    await delivered(world, order, await play(world, order));
  });

  it('delivers exactly what was asked for with EXACT_OUTPUT', async () => {
    const user = await world.user({ USDC: usd('100') });
    const order = await sdkOrder(world, { user, input: 'USDC', amount: usd('77'), tradeType: 'EXACT_OUTPUT' });
    expect(order.amountOut).toBe(usd('77'));
    await delivered(world, order, await play(world, order));
    expect(await world.a.balance(user.address, 'USDC')).toBe(usd('100') - order.amountIn);
  });

  it('makes calls with what arrives, and delivers the rest', async () => {
    const nft = await deploy(world.b, testNft);
    const user = await world.user();
    const data = encodeFunctionData({ abi: testNft.abi, functionName: 'safeMint' });
    const txs = [{ to: nft, value: '1000', data }];
    const order = await sdkOrder(world, { user, amount: parseEther('1'), txs });
    await delivered(world, { ...order, amountOut: order.amountOut - 1_000n }, await play(world, order));
    const abi = testNft.abi;
    expect(await world.b.client.readContract({ abi, address: nft, functionName: 'ownerOf', args: [1n] })).toBe(
      order.recipient,
    );
  });

  it('takes app fees off what arrives, and notifies the integrator of them', async () => {
    const user = await world.user({ USDC: usd('2000') });
    const plain = await sdkOrder(world, { user, input: 'USDC', amount: usd('1000') });
    const integrator = newAddress();
    const appFees = [{ recipient: integrator, fee: '100' }];
    expect(await getAppFees({ wallet: integrator })).toEqual([]);
    const order = await sdkOrder(world, { user, input: 'USDC', amount: usd('1000'), options: { appFees } });
    expect(order.sdkQuote.fees?.app?.amount).toBe(usd('10').toString());
    // In addition to current gas, which differs between the two.
    expect(order.amountIn - order.amountOut).toBeGreaterThan(usd('10'));
    expect(plain.amountIn - plain.amountOut).toBeLessThan(usd('5'));
    await delivered(world, order, await play(world, order));
    expect(await getAppFees({ wallet: integrator })).toMatchObject([
      { currency: { chainId: world.a.id, symbol: 'USDC' }, amount: usd('10').toString(), amountUsd: '10.000000' },
    ]);
  });

  it('claims app fees by a signature, and the integrator receives them', async () => {
    const [user, integrator] = [await world.user({ USDC: usd('1000') }), await world.user()];
    const appFees = [{ recipient: integrator.address, fee: '200' }];
    const order = await sdkOrder(world, { user, input: 'USDC', amount: usd('1000'), options: { appFees } });
    await delivered(world, order, await play(world, order));
    await world.finalise();
    const recipient = newAddress();
    const currency = world.a.currency('USDC');
    world.payouts.push({ chainId: world.a.id, token: currency, to: recipient, most: usd('20') });
    await until('what it earned is final', async () => {
      await world.b.mine();
      const body = { chainId: world.a.id, currency, recipient };
      const { status } = await world.rest.call('POST', `/app-fees/${integrator.address}/claim`, { body });
      return status === 200 || undefined;
    });
    const wallet = walletOf(world.a, integrator);
    await claimAppFees({ wallet, chainId: world.a.id, currency, recipient });
    expect(askedFor('/execute/permits')).toHaveLength(1);
    const got = await until('it is paid', async () => {
      await world.a.mine();
      const held = await world.a.balance(recipient, 'USDC');
      return held > 0n ? held : undefined;
    });
    expect(got).toBeGreaterThan(usd('19'));
    expect(await getAppFees({ wallet: integrator.address })).toEqual([]);
  });

  it('leaves the approval and the deposit to wallets that send both at once', async () => {
    const user = await world.user({ USDC: usd('60') });
    const order = await sdkOrder(world, { user, input: 'USDC', amount: usd('60') });
    const played = await play(world, order, { atOnce: true });
    await delivered(world, order, played);
    expect(played.data?.steps.map((step) => step.id)).toEqual(['approve-and-deposit']);
    // The SDK reports no transaction then: the deposit is found on the chain.
    expect(askedFor('/transactions/index')).toEqual([]);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
