import type { LiquiditySource, SwapAnswer, SwapWish } from '@causeway/core';
import { type JsonRpcFaultProxy, jsonRpcFaultProxy } from '@causeway/core/testing';
import { type Abi, parseUnits } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { artifacts } from '../../src/devnet/index.js';
import { type RunningSources, startSources } from '../support/sources.js';
import { addPair, type Dealer, deployUniswap, ENOUGH, uniswapArtifacts } from '../support/uniswap.js';
import { chainOptions, eventually, startWorld, type World } from '../support/world.js';

const NATIVE = '0x0000000000000000000000000000000000000000';
const usd = (amount: string) => parseUnits(amount, 6);

let world: World;
let dealer: Dealer;
let running: RunningSources;
let proxy: JsonRpcFaultProxy;

beforeAll(async () => {
  world = await startWorld();
  dealer = await deployUniswap(world.anvil.rpcUrl, world.anvil.chainId);
  const { uniswap, wallet, write } = dealer;
  const { USDC } = world.deployed.tokens;
  await write(USDC, artifacts.testToken.abi as Abi, 'mint', [[wallet.account.address], usd('10000000')]);
  await write(uniswap.wrapped, uniswapArtifacts.wrapped.abi, 'deposit', [], parseUnits('2000', 18));
  await addPair(dealer, [
    [USDC, usd('3000000')],
    [uniswap.wrapped, parseUnits('1000', 18)],
  ]);
  proxy = await jsonRpcFaultProxy(world.anvil.rpcUrl);
  const base = chainOptions(world, { rpc: [{ http: proxy.url, ws: proxy.wsUrl }] });
  running = await startSources([
    {
      ...base,
      contracts: { ...base.contracts, wrappedNative: uniswap.wrapped },
      swaps: {
        uniswapV2: { factory: uniswap.pairFactory, router: uniswap.pairRouter },
        uniswapV3: { factory: uniswap.poolFactory, router: uniswap.swapRouter },
      },
    },
  ]);
});

afterAll(async () => {
  await running?.stop();
  await proxy?.close();
  await world?.anvil.stop();
});

const wish = (change: Partial<SwapWish> = {}): SwapWish => ({
  ...{ chainId: 31337, input: NATIVE, output: world.deployed.tokens.USDC.toLowerCase() },
  ...{ kind: 'exactInput', amount: parseUnits('1', 18), ...change },
});

async function quoted(id: string, asked: SwapWish): Promise<SwapAnswer> {
  const source = running.sources.get(id);
  if (!source) throw new Error(`there is no source ${id}`);
  return source.quote(asked, AbortSignal.timeout(1_000));
}

it('a chain with swaps brings a source for each kind of venue, for itself alone', () => {
  expect([...running.sources.keys()].sort()).toEqual(['uniswap-v2', 'uniswap-v3', 'wrapped-native']);
  for (const source of running.sources.values())
    expect([31337, 31338].map((id) => source.supports(id))).toEqual([true, false]);
});

it('sources quote from memory as soon as the chain was read, and say why they do not', async () => {
  const answer = await eventually(
    () => quoted('uniswap-v2', wish()),
    ({ ok }) => ok,
  );
  const { USDC } = world.deployed.tokens;
  expect(answer).toMatchObject({ quotes: [{ amountIn: parseUnits('1', 18), route: [NATIVE, USDC.toLowerCase()] }] });
  const [quote] = answer.ok ? answer.quotes : [];
  expect(Number(quote?.amountOut) / 1e6).toBeCloseTo(2_988, 0);
  expect(await quoted('uniswap-v3', wish())).toMatchObject({ ok: false, why: 'noRoute' });
  const much = wish({ kind: 'exactOutput', amount: usd('3000000') });
  expect(await quoted('uniswap-v2', much)).toMatchObject({ ok: false, why: 'tooMuch' });
  expect(await quoted('uniswap-v2', wish({ maxHops: 0 }))).toMatchObject({ ok: false, why: 'noRoute' });
});

it('wrapping is one for one, and nothing but wrapping', async () => {
  const wrapped = dealer.uniswap.wrapped.toLowerCase();
  for (const pair of [
    { input: NATIVE, output: wrapped },
    { input: wrapped, output: NATIVE },
  ])
    expect(await quoted('wrapped-native', wish(pair))).toMatchObject({
      quotes: [{ amountIn: parseUnits('1', 18), amountOut: parseUnits('1', 18) }],
    });
  expect(await quoted('wrapped-native', wish())).toMatchObject({ ok: false, why: 'noRoute' });
});

it('a swap of another account is in the quotes after its block', async () => {
  const amountNow = async () => {
    const answer = await quoted('uniswap-v2', wish());
    return answer.ok ? (answer.quotes[0]?.amountOut ?? 0n) : 0n;
  };
  const before = await amountNow();
  const source = running.sources.get('uniswap-v2') as LiquiditySource;
  const asked = wish({ amount: parseUnits('100', 18) });
  const answer = await quoted('uniswap-v2', asked);
  if (!answer.ok || !answer.quotes[0]) throw new Error('no quote');
  const payer = dealer.wallet.account.address;
  for (const { to, value, data } of source.calls(asked, answer.quotes[0], { payer, recipient: payer, limit: 1n })) {
    const hash = await dealer.wallet.sendTransaction({ to: to as `0x${string}`, value, data, gas: ENOUGH });
    await dealer.client.waitForTransactionReceipt({ hash });
  }
  expect(await eventually(amountNow, (now) => now < before)).toBeLessThan((before * 9n) / 10n);
});

it('blocks in which nothing was done are passed without a question, and quoted at', async () => {
  const { anvil } = world;
  const heightNow = async () => {
    const answer = await quoted('uniswap-v2', wish());
    return answer.ok ? (answer.quotes[0]?.height ?? 0) : 0;
  };
  const aboutPools = () =>
    proxy.calls.filter(({ method, params }) => method === 'eth_getLogs' && isAboutMany(params[0])).length;
  const start = await anvil.height();
  await eventually(heightNow, (height) => height >= start);
  const before = aboutPools();
  for (let n = 1; n <= 5; n += 1) {
    await anvil.mine();
    await eventually(heightNow, (height) => height >= start + n);
  }
  expect(aboutPools()).toBe(before);
  const was = await quoted('uniswap-v2', wish());
  await dealer.write(dealer.uniswap.wrapped, uniswapArtifacts.wrapped.abi, 'deposit', [], 1n);
  await eventually(heightNow, (height) => height >= start + 6);
  // The block was not empty, so the chain had to be queried.
  expect(aboutPools()).toBeGreaterThan(before);
  expect(await quoted('uniswap-v2', wish())).toMatchObject({
    quotes: [{ amountOut: was.ok ? was.quotes[0]?.amountOut : 0n }],
  });
});

/** Pool queries list addresses; those of the depository have one. */
function isAboutMany(filter: unknown): boolean {
  return Array.isArray((filter as { readonly address?: unknown }).address);
}
