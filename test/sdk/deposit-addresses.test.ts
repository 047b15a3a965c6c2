import { getClient } from '@relayprotocol/relay-sdk';
import { type Address, parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY } from '../support/config.js';
import type { RequestRecord } from '../support/rest.js';
import { until } from '../support/until.js';
import { newUser, walletOf } from '../support/wallet.js';
import { World } from '../support/world.js';
import { askedFor, delivered, lastItem, play, sdkOf, sdkOrder, unserved } from './sdk.js';

const STRICT = { useDepositAddress: true, strict: true };

let world: World;

beforeAll(async () => {
  world = await World.start({ addresses: true });
});

beforeEach(async () => {
  await sdkOf(world);
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);

describe('the SDK, with a strict deposit address', () => {
  it('sends one plain transfer of native coin, and follows it until it is paid out', async () => {
    const user = await world.user();
    const order = await sdkOrder(world, { user, amount: parseEther('1'), options: STRICT });
    const [step, ...others] = order.quote.steps;
    const address = step?.depositAddress as Address;
    expect(others).toEqual([]);
    expect(step).toMatchObject({ id: 'deposit', kind: 'transaction' });
    expect(step?.items).toMatchObject([{ data: { to: address, data: '0x', value: parseEther('1').toString() } }]);

    const played = await play(world, order);

    const status = await delivered(world, order, played);
    expect(played.progress.map((one) => one.progressState)).toEqual(
      expect.arrayContaining(['confirming', 'validating']),
    );
    const item = lastItem(played);
    expect(item).toMatchObject({ status: 'complete', progressState: 'complete', checkStatus: 'success' });
    expect(item.txHashes).toEqual(status.txHashes.map((txHash) => ({ txHash, chainId: world.b.id })));
    expect(item.internalTxHashes).toMatchObject(status.inTxHashes.map((txHash) => ({ txHash, chainId: world.a.id })));
    expect(askedFor('/transactions/index')).toHaveLength(1);
    const { depositAddress } = await world.rest.request(order.requestId);
    expect(depositAddress).toMatchObject({ address: address.toLowerCase(), depositor: user.address.toLowerCase() });
    expect(unserved).toEqual([]);
  });

  it('transfers a token without an approval', async () => {
    const user = await world.user({ USDC: usd('250') });
    const order = await sdkOrder(world, { user, input: 'USDC', amount: usd('250'), options: STRICT });
    expect(order.quote.steps.map(({ id }) => id)).toEqual(['deposit']);
    await delivered(world, order, await play(world, order));
    expect(await world.a.balance(user.address, 'USDC')).toBe(0n);
    expect(unserved).toEqual([]);
  });

  it('shows a refund', async () => {
    const options = { ...STRICT, referrer: 'debug-force-refund' };
    const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('1'), options });
    const { error, progress } = await play(world, order, { mining: true });
    expect(String(error)).toContain('Refunded');
    expect(progress.some(({ refunded }) => refunded === true)).toBe(true);
    await world.becomes(order, 'refund', { mining: true });
    expect(await world.a.balance(order.refundTo, 'ETH')).toBeGreaterThan(parseEther('0.99'));
  });
});

/** As documented for clients of the SDK: its own HTTP client reads what it has no action for, with a key of theirs. */
async function childrenOf(requestId: string): Promise<readonly RequestRecord[]> {
  const { utils, baseApiUrl } = getClient();
  const url = `${baseApiUrl}/requests/v3?id=${requestId}&includeChildRequests=true`;
  const { data } = await utils.request({ url, method: 'get', headers: { 'x-api-key': API_KEY } });
  return (data as { readonly requests: readonly RequestRecord[] }).requests.filter(({ id }) => id !== requestId);
}

async function filledChild(requestId: string): Promise<RequestRecord> {
  return until('the transfer is filled', async () => {
    await Promise.all(world.chains.map((chain) => chain.nudge()));
    const [first] = await childrenOf(requestId);
    return first?.status === 'success' ? first : undefined;
  });
}

function outputOf({ data }: RequestRecord): bigint {
  return BigInt(data.route.actual?.destination.outputCurrency?.amount ?? 0);
}

describe('the SDK, with an open deposit address', () => {
  const OPEN = { useDepositAddress: true };

  it('shows it to someone else, and finds the transfer as a request of its own', async () => {
    const order = await sdkOrder(world, { user: newUser(), input: 'USDC', amount: usd('100'), options: OPEN });
    const [step] = order.quote.steps;
    const wallet = walletOf(world.a, await world.user());
    const hash = await wallet.sendTransaction({ to: step?.depositAddress as Address, value: parseEther('0.05') });
    const child = await filledChild(order.requestId);
    expect(child.depositAddress).toMatchObject({ type: 'open', depositTxHash: hash });
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(outputOf(child));
    expect(unserved).toEqual([]);
  });

  it('stops following what it sent there itself, which is filled all the same', async () => {
    await sdkOf(world, { attempts: 10 });
    const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('1'), options: OPEN });
    const { error } = await play(world, order);
    expect(error).toMatchObject({ name: expect.stringMatching(/TimeoutError$/) });
    expect(await world.rest.status(order.requestId)).toMatchObject({ status: 'waiting' });
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(outputOf(await filledChild(order.requestId)));
  });
});
