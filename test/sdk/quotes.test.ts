import { convertViemChainToRelayChain, createClient, getClient, getQuote, type paths } from '@relayprotocol/relay-sdk';
import { fetchChainConfigs } from '@relayprotocol/relay-sdk/chain-utils';
import { parseEther, parseUnits } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { API_KEY } from '../support/config.js';
import { newAddress, newUser, walletOf } from '../support/wallet.js';
import { World } from '../support/world.js';
import { askedFor, delivered, play, SOURCE, sdkOf, sdkOrder, unserved } from './sdk.js';

type PriceBody = NonNullable<paths['/price']['post']['requestBody']>['content']['application/json'];
type Price = paths['/price']['post']['responses']['200']['content']['application/json'];

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

async function getPrice(body: PriceBody): Promise<Price> {
  const { utils, baseApiUrl } = getClient();
  const { data } = await utils.request({ url: `${baseApiUrl}/price`, method: 'post', data: body });
  return data;
}

it('gets chains that it can send on', async () => {
  const chains = await fetchChainConfigs(world.rest.baseUrl, SOURCE);
  expect(askedFor('/chains?referrer=')).toHaveLength(1);
  expect(chains.map(({ id, vmType, depositEnabled }) => ({ id, vmType, depositEnabled }))).toEqual(
    world.chains.map(({ id }) => ({ id, vmType: 'evm', depositEnabled: true })),
  );
  for (const [index, chain] of chains.entries()) {
    expect(chain.httpRpcUrl).toBe(world.chains[index]?.url);
    expect(chain.viemChain).toMatchObject({ id: chain.id, nativeCurrency: { symbol: 'ETH', decimals: 18 } });
    const tokens = chain.erc20Currencies?.map(({ symbol, address }) => [symbol, address?.toLowerCase()]);
    expect(tokens).toContainEqual(['USDC', world.chains[index]?.currency('USDC').toLowerCase()]);
  }
});

it('executes with chains that a client makes of its own', async () => {
  const chains = world.chains.map((chain) => convertViemChainToRelayChain(walletOf(chain, newUser()).chain));
  createClient({ baseApiUrl: world.rest.baseUrl, source: SOURCE, chains });
  const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('0.2') });
  await delivered(world, order, await play(world, order));
});

it('previews without a wallet', async () => {
  const { a, b } = world;
  const sides = { chainId: a.id, toChainId: b.id, currency: a.currency('USDC'), toCurrency: b.currency('USDC') };
  const quote = await getQuote({ ...sides, amount: usd('100').toString(), tradeType: 'EXACT_INPUT' }, true);
  expect(quote.details?.sender).toMatch(/^0x0+dead$/i);
  expect(quote.details?.currencyOut?.currency?.chainId).toBe(b.id);
  expect(quote.steps.map((step) => step.id)).toEqual(['approve', 'deposit']);
});

it('prices what it would quote, in the types of its own', async () => {
  const { a, b } = world;
  const user = newAddress();
  const price = await getPrice({
    user,
    originChainId: a.id,
    destinationChainId: b.id,
    originCurrency: a.currency('USDC'),
    destinationCurrency: b.currency('ETH'),
    amount: usd('1000').toString(),
    tradeType: 'EXACT_INPUT',
    slippageTolerance: '50',
    appFees: [{ recipient: newAddress(), fee: '25' }],
  });
  expect(price.fees?.app?.amount).toBe(usd('2.5').toString());
  expect(price.details?.currencyIn).toMatchObject({ amount: usd('1000').toString(), amountFormatted: '1000' });
  const { currencyOut } = price.details ?? {};
  expect(BigInt(currencyOut?.amount ?? 0)).toBeLessThan(parseEther('0.5'));
  expect(BigInt(currencyOut?.amount ?? 0)).toBeGreaterThan(parseEther('0.48'));
  expect(price).not.toHaveProperty('steps');
});

it('has its name kept as the referrer, and its options kept to', async () => {
  const user = await world.user();
  const order = await sdkOrder(world, {
    user,
    amount: parseEther('1'),
    options: { slippageTolerance: '300', includeProtocolData: true, originGasOverhead: 80_000, topupGas: false },
  });
  expect(order.quote.protocol.v2.orderSignature).toMatch(/^0x[0-9a-f]{130}$/);
  expect(order.sdkQuote.details?.slippageTolerance).toMatchObject({ total: '300' });
  expect(order.minimumOut).toBeLessThan(order.amountOut);
  expect(askedFor('/quote/v2')[0]?.body).toMatchObject({ referrer: SOURCE, user: user.address });
});

it('is never asked for a key: it sends none to a service of your own', async () => {
  createClient({ baseApiUrl: world.rest.baseUrl, apiKey: 'wrong' });
  const order = await sdkOrder(world, { user: await world.user(), amount: parseEther('0.1') });
  await delivered(world, order, await play(world, order));
});

it("names a key where one is given to it as a header, and the request is that key's", async () => {
  const ask = { user: await world.user(), amount: parseEther('0.1'), headers: { 'x-api-key': API_KEY } };
  const order = await sdkOrder(world, ask);
  await delivered(world, order, await play(world, order));
  const { requests } = await world.rest.requests({ id: order.requestId, includeAuthenticatedData: true });
  expect(requests[0]?.data).toMatchObject({ apiKeyName: 'e2e', referrer: SOURCE });
});

it('leaves the chains with nothing lost and nothing doubled', async () => {
  await world.finalise();
  expect(await world.verdict()).toEqual([]);
});
