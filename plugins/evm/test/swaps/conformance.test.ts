import type { LiquiditySource, PluginContext, SwapWish } from '@causeway/core';
import { type LiquidityHarness, liquidityConformance, runConformance } from '@causeway/core/testing';
import { type Abi, parseUnits } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { artifacts } from '../../src/devnet/index.js';
import { plugin } from '../../src/index.js';
import type { EvmOptions } from '../../src/options.js';
import { clock, countingMetrics, recordingAlerts, recordingLogger } from '../support/services.js';
import { type SwapStage, swapStage } from '../support/swap-stage.js';
import { addPair, addPosition, type Dealer, deployUniswap, uniswapArtifacts } from '../support/uniswap.js';
import { allocatorSigner, chainOptions, eventually, fillSigner, startWorld, type World } from '../support/world.js';

const NATIVE = '0x0000000000000000000000000000000000000000';
const ether = (amount: string) => parseUnits(amount, 18);
const usd = (amount: string) => parseUnits(amount, 6);

let world: World;
let dealer: Dealer;
let stage: SwapStage;
const sources = new Map<string, LiquiditySource>();
const stops: (() => Promise<void>)[] = [];
const log = recordingLogger();

beforeAll(async () => {
  world = await startWorld();
  dealer = await deployUniswap(world.anvil.rpcUrl, world.anvil.chainId);
  const { uniswap, wallet, write } = dealer;
  const { USDC } = world.deployed.tokens;
  const { wrapped } = uniswap;
  await write(USDC, artifacts.testToken.abi as Abi, 'mint', [[wallet.account.address], usd('20000000')]);
  await write(wrapped, uniswapArtifacts.wrapped.abi, 'deposit', [], ether('4000'));
  await addPair(dealer, [
    [USDC, usd('3000000')],
    [wrapped, ether('1000')],
  ]);
  const usdcFirst = USDC.toLowerCase() < wrapped.toLowerCase();
  const [token0, token1] = usdcFirst ? [USDC, wrapped] : [wrapped, USDC];
  const most = {
    amount0: usdcFirst ? usd('3000000') : ether('1000'),
    amount1: usdcFirst ? ether('1000') : usd('3000000'),
  };
  // Square root of 1e18 / 3000e6, or of its inverse, times 2^96.
  const sqrtPrice = usdcFirst ? 1446501726624926496477173928747177n : 4339505179874779489431521n;
  const range = { tickLower: -887_220, tickUpper: 887_220 };
  await addPosition(dealer, { ...{ token0, token1, fee: 3_000, sqrtPrice }, ...range, ...most });
  stage = await swapStage(world, dealer, [
    [USDC, usd('1000000')],
    [wrapped, ether('500')],
  ]);
  const base = chainOptions(world);
  const options: EvmOptions = {
    signers: { fill: 'env:fill', allocator: 'env:allocator' },
    chains: [
      {
        ...base,
        contracts: { ...base.contracts, wrappedNative: wrapped },
        swaps: {
          maxAgeMs: 3_600_000,
          uniswapV2: { factory: uniswap.pairFactory, router: uniswap.pairRouter },
          uniswapV3: { factory: uniswap.poolFactory, router: uniswap.swapRouter },
        },
      },
    ],
  };
  const starts: (() => Promise<void>)[] = [];
  const context = {
    ...{ id: 'evm', options, network: 'local', clock, metrics: countingMetrics(), log, alerts: recordingAlerts() },
    keys: { secp256k1: (reference: string) => (reference.includes('fill') ? fillSigner : allocatorSigner) },
    chains: { add: () => undefined },
    liquidity: { add: (source: LiquiditySource) => void sources.set(source.id, source) },
    lifecycle: {
      onStart: (task: () => Promise<void>) => void starts.push(task),
      onStop: (task: () => Promise<void>) => void stops.push(task),
    },
  };
  plugin.register(context as unknown as PluginContext<EvmOptions>);
  for (const start of starts) await start();
}, 120_000);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  await world?.anvil.stop();
});

type Pair = readonly [input: string, output: string, exactInput: bigint, exactOutput: bigint];

function pairs(id: string): readonly Pair[] {
  const [wrapped, dollar] = [dealer.uniswap.wrapped.toLowerCase(), world.deployed.tokens.USDC.toLowerCase()];
  if (id === 'wrapped-native')
    return [
      [NATIVE, wrapped, ether('1'), ether('2')],
      [wrapped, NATIVE, ether('3'), ether('1')],
    ];
  return [
    [NATIVE, dollar, ether('1'), usd('2000')],
    [dollar, NATIVE, usd('2000'), ether('1')],
    [wrapped, dollar, ether('2'), usd('500')],
  ];
}

/** Waits until pools match the newest block after a reorg. */
async function isRead(source: LiquiditySource, wish: SwapWish): Promise<void> {
  await dealer.client.request({ method: 'anvil_mine', params: ['0x3'] } as never);
  const height = await dealer.client.getBlockNumber({ cacheTime: 0 });
  await eventually(
    async () => source.quote(wish, new AbortController().signal),
    (answer) => 'ok' in answer && answer.ok && answer.quotes[0]?.height === Number(height),
  );
}

function harness(id: string): LiquidityHarness {
  const source = sources.get(id);
  if (source === undefined) throw new Error(`there is no source ${id}`);
  const { chainId } = world.anvil;
  const wishes = pairs(id).flatMap(([input, output, exactInput, exactOutput]): SwapWish[] => [
    { chainId, input, output, kind: 'exactInput', amount: exactInput },
    { chainId, input, output, kind: 'exactOutput', amount: exactOutput },
  ]);
  const { USDC, USDT } = world.deployed.tokens;
  return {
    lacks: {
      upstream: 'it quotes from what it read',
      ...(id === 'wrapped-native' ? { ownLimit: 'it is one for one, whatever the limit' } : {}),
    },
    source,
    otherChainId: chainId + 1,
    wishes,
    impossible: {
      ...{ chainId, input: USDC.toLowerCase(), output: USDT.toLowerCase(), kind: 'exactInput', amount: usd('1') },
    },
    payer: stage.payer,
    recipient: stage.recipient,
    grants: (calls) => stage.grants(calls),
    make: async (wish, calls, parties) => {
      const made = await stage.make(wish, calls, parties, false);
      await isRead(source, wish);
      return made;
    },
    pass: (ms) => clock.sleep(ms),
    timeoutMs: 1_000,
    secrets: [],
    logged: () => JSON.stringify(log.lines),
    dispose: async () => undefined,
  };
}

it.each(['uniswap-v2', 'uniswap-v3', 'wrapped-native'])(
  'holds %s against the kit, on the real contracts',
  async (id) => {
    await eventually(
      async () => harness(id).source.quote(harness(id).wishes[0] as SwapWish, new AbortController().signal),
      (answer) => 'ok' in answer && answer.ok,
    );
    const report = await runConformance(liquidityConformance, async () => harness(id), { on: id });
    const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
    expect(
      failed.map(({ name, reason }) => [name, reason]),
      stage.reverts.join('\n'),
    ).toEqual([]);
    const skipped = report.cases.filter(({ outcome }) => outcome === 'notApplicable');
    expect(skipped).toHaveLength(id === 'wrapped-native' ? 6 : 5);
  },
  120_000,
);
