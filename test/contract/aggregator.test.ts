import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, DestinationCall, Hex, LiquiditySource, PluginContext, SwapWish } from '@causeway/core';
import { type LiquidityHarness, liquidityConformance, runConformance } from '@causeway/core/testing';
import { type Abi, type Address, encodeFunctionData, erc20Abi, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifacts } from '../../plugins/evm/src/devnet/index.js';
import type { EvmAdapter } from '../../plugins/evm/src/evm-adapter.js';
import { RECIPIENT, type SwapStage, swapStage } from '../../plugins/evm/test/support/swap-stage.js';
import { addPair, type Dealer, deployUniswap, uniswapArtifacts } from '../../plugins/evm/test/support/uniswap.js';
import {
  chainOptions,
  fillSigner,
  startAdapter,
  startWorld,
  type World,
} from '../../plugins/evm/test/support/world.js';
import { plugin, type SwapsHttpOptions } from '../../plugins/swaps-http/src/index.js';
import {
  AGGREGATOR_SHAPE,
  type Aggregator,
  type Answer,
  type Swindle,
  startAggregator,
  swindle,
  throughPairs,
} from '../support/aggregator.js';
import { filledOptions } from '../support/filled-options.js';

const NATIVE = `0x${'0'.repeat(40)}`;
const SECRET = 'key-that-must-stay-secret';
const FAST = {
  timeouts: { connectMs: 400, answerMs: 500, totalMs: 600 },
  breaker: { failures: 4, openMs: 50, maxOpenMs: 100 },
  room: { atOnce: 8, waiting: 200, perSecond: 1_000, burst: 1_000 },
  keepMs: 0,
};
const usd = (amount: string) => parseUnits(amount, 6);
const ether = (amount: string) => parseUnits(amount, 18);

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal && { signal }).catch(() => undefined),
  every: () => () => undefined,
};

let world: World;
let dealer: Dealer;
let stage: SwapStage;
let adapter: EvmAdapter;
let swindler: Address;
let other: Address;

beforeAll(async () => {
  world = await startWorld();
  dealer = await deployUniswap(world.anvil.rpcUrl, world.anvil.chainId);
  const { uniswap, wallet, write } = dealer;
  const { USDC } = world.deployed.tokens;
  const { testToken, testSwindler } = artifacts;
  const address = async (hash: Hex): Promise<Address> =>
    (await dealer.client.waitForTransactionReceipt({ hash })).contractAddress ?? expect.fail('not deployed');
  swindler = await address(await wallet.deployContract(testSwindler));
  other = await address(await wallet.deployContract({ ...testToken, args: ['Other', 'OTH', 6] }));
  for (const token of [USDC, other])
    await write(token, testToken.abi as Abi, 'mint', [[wallet.account.address, swindler], usd('9000000')]);
  await write(uniswap.wrapped, uniswapArtifacts.wrapped.abi, 'deposit', [], ether('2000'));
  await addPair(dealer, [
    [USDC, usd('3000000')],
    [uniswap.wrapped, ether('1000')],
  ]);
  stage = await swapStage(world, dealer, [
    [USDC, usd('1000000')],
    [uniswap.wrapped, ether('500')],
  ]);
  ({ adapter } = await startAdapter(chainOptions(world)));
}, 120_000);

afterAll(async () => {
  await adapter?.stop();
  await world?.anvil.stop();
});

interface Registered {
  readonly source: LiquiditySource;
  readonly said: string[];
  stop(): Promise<void>;
}

function registered(url: string, targets: readonly Address[]): Registered {
  const [sources, stops, said]: [LiquiditySource[], (() => Promise<void>)[], string[]] = [[], [], []];
  const options = filledOptions<SwapsHttpOptions>(plugin.options, {
    ...{ shape: 'json', url, json: AGGREGATOR_SHAPE, headers: { 'x-key': 'env:KEY' }, ...FAST },
    chains: [{ id: world.anvil.chainId, targets }],
  });
  const say = (fields: object, message: string) => void said.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: say, info: say, warn: say, error: say, child: () => log };
  const context = {
    ...{ id: 'aggregator', options, network: 'local', clock, log, keys: { secret: () => SECRET } },
    metrics: { count: () => undefined, gauge: () => undefined, observe: () => undefined },
    alerts: { raise: (_: string, message: string) => void said.push(message), clear: () => undefined, list: () => [] },
    liquidity: { add: (source: LiquiditySource) => void sources.push(source) },
    lifecycle: { onStart: () => undefined, onStop: (task: () => Promise<void>) => void stops.push(task) },
  };
  plugin.register(context as unknown as PluginContext<SwapsHttpOptions>);
  const [source] = sources;
  if (source === undefined) throw new Error('no source was added');
  return { source, said, stop: async () => void (await Promise.all(stops.map((task) => task()))) };
}

describe('an aggregator whose calls go to a real router', () => {
  async function harness(): Promise<LiquidityHarness> {
    const { pairRouter, wrapped } = dealer.uniswap;
    const aggregator = await startAggregator(throughPairs(dealer.client, pairRouter, wrapped));
    const { source, said, stop } = registered(aggregator.url, [pairRouter]);
    const { chainId } = world.anvil;
    const dollar = world.deployed.tokens.USDC.toLowerCase();
    const sides = ([input, output, amount, wanted]: readonly [string, string, bigint, bigint]): SwapWish[] => [
      { chainId, input, output, kind: 'exactInput', amount },
      { chainId, input, output, kind: 'exactOutput', amount: wanted },
    ];
    return {
      lacks: { ownLimit: 'a third party builds its calls' },
      source,
      otherChainId: chainId + 1,
      wishes: [
        [wrapped.toLowerCase(), dollar, ether('2'), usd('500')] as const,
        [NATIVE, dollar, ether('1'), usd('2000')] as const,
        [dollar, NATIVE, usd('2000'), ether('1')] as const,
      ].flatMap(sides),
      impossible: {
        ...{ chainId, input: dollar, output: world.deployed.tokens.BLOCK.toLowerCase() },
        ...{ kind: 'exactInput', amount: usd('1') },
      },
      payer: stage.payer,
      recipient: stage.recipient,
      grants: (calls) => stage.grants(calls),
      make: (wish, calls, parties) => stage.make(wish, calls, parties, true),
      pass: (ms) => delay(ms),
      behave: (how) => aggregator.behave(how),
      pending: () => aggregator.pending(),
      timeoutMs: FAST.timeouts.totalMs,
      secrets: [SECRET],
      logged: () => said.join('\n'),
      dispose: async () => {
        await stop();
        await aggregator.stop();
      },
    };
  }

  it('is tested by the kit', async () => {
    const report = await runConformance(liquidityConformance, harness, { on: 'swaps-http' });
    const failed = report.cases.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ name, reason }) => [name, reason])).toEqual([]);
    expect(report.cases.filter(({ outcome }) => outcome === 'notApplicable')).toHaveLength(1);
  }, 180_000);
});

const AMOUNT = usd('1000');
const SHORT = /brought|BroughtShort|SLIPPAGE|TOO_LITTLE/;
const THIEF: Address = `0x${'66'.repeat(20)}`;

interface Lie extends Swindle {
  readonly over?: Partial<Answer>;
}

describe('an aggregator that lies', () => {
  let aggregator: Aggregator;
  let plug: Registered;
  let lie: Lie;
  const wish = (): SwapWish => ({
    ...{ chainId: world.anvil.chainId, kind: 'exactInput', amount: AMOUNT },
    ...{ input: world.deployed.tokens.USDC.toLowerCase(), output: other.toLowerCase() },
  });

  beforeAll(async () => {
    aggregator = await startAggregator(async (asked) => {
      const { over, ...how } = lie;
      return { ...swindle(swindler, asked, [asked.amount, asked.amount * 2n], { other: THIEF, ...how }), ...over };
    });
    plug = registered(aggregator.url, [swindler]);
  });
  afterAll(async () => {
    await plug?.stop();
    await aggregator?.stop();
  });

  const holds = (token: string, owner: string) => stage.balance(token, owner);

  async function built(reported: Lie) {
    lie = reported;
    const { signal } = new AbortController();
    const answer = await plug.source.quote(wish(), signal);
    if (!answer.ok || !answer.quotes[0]) return expect.fail('no quote');
    const parties = { payer: stage.payer, recipient: RECIPIENT, limit: answer.quotes[0].amountOut };
    const made = await plug.source.build?.(wish(), answer.quotes[0], parties, signal);
    return { made, parties };
  }

  async function calls(reported: Lie) {
    const { made, parties } = await built(reported);
    if (!made?.ok) return expect.fail(made?.message);
    return { calls: plug.source.calls(wish(), made.quote, parties), parties };
  }

  /** The chain's simulation of a fill with these calls, before any promise. */
  const tried = (made: readonly DestinationCall[], least: bigint) =>
    adapter.fillCost({
      ...{ currency: wish().input, amount: AMOUNT, recipient: RECIPIENT, wanted: { currency: wish().output, least } },
      calls: made.map((call) => adapter.capabilities.destinationCalls?.encode(call) as Hex),
    });

  it('is found honest where it does not', async () => {
    const { calls: made, parties } = await calls({ mode: 'Honest' });
    expect(await tried(made, parties.limit)).toMatchObject({ work: expect.any(BigInt) });
    expect(await stage.make(wish(), made, parties, true)).toEqual({
      ...{ done: true, taken: AMOUNT, got: 2n * AMOUNT, left: 0n },
    });
  });

  it.each<[string, RegExp, Lie]>([
    ['gives a unit less than it said', SHORT, { mode: 'Short' }],
    ['takes and gives nothing', SHORT, { mode: 'Nothing' }],
    ['gives it to another account', SHORT, { mode: 'Elsewhere' }],
    ['refuses', /EXECUTION_REVERTED.*no/, { mode: 'Refuses' }],
    ['gives where gas has no price', SHORT, { mode: 'IfUnpriced' }],
    ['gives to everybody but to us', SHORT, { mode: 'UnlessSignedBy', other: fillSigner.address as Address }],
    ['gives where there is more gas than a fill has', SHORT, { mode: 'IfRich', when: 10_000_000n }],
    ['burns all gas', /EXECUTION_REVERTED/, { mode: 'Burns' }],
    ['refuses with a flood of bytes', /REVERTED|GAS/, { mode: 'Bomb', when: 500_000n }],
    ['says more of the same call', SHORT, { mode: 'TakesAll', over: { out: 2n * AMOUNT + 1n } }],
  ])(
    '%s: is refused when it is tried, and takes nothing where it is made in spite of that',
    async (_, reason, reported) => {
      const { calls: made, parties } = await calls(reported);
      const refused = await tried(made, parties.limit);
      expect(refused).toMatchObject({ ok: false, kind: 'refused' });
      expect(JSON.stringify(refused, (_key, one) => (typeof one === 'bigint' ? `${one}` : one))).toMatch(reason);
      const before = await holds(wish().input, fillSigner.address);
      expect(await stage.fill(wish(), made, parties, parties.limit)).toBeUndefined();
      expect(await holds(wish().input, fillSigner.address)).toBe(before);
      expect(await holds(wish().output, RECIPIENT)).toBe(0n);
      expect(await holds(wish().output, THIEF)).toBe(0n);
    },
  );

  it('gives only while it is tried: all of it is undone in the block, and only gas is gone', async () => {
    const now = await dealer.client.getBlockNumber({ cacheTime: 0 });
    const { calls: made, parties } = await calls({ mode: 'Until', when: now + 1n });
    expect(await tried(made, parties.limit)).toMatchObject({ work: expect.any(BigInt) });
    await dealer.client.request({ method: 'anvil_mine', params: ['0x2'] } as never);
    const before = await holds(wish().input, fillSigner.address);
    expect(await stage.fill(wish(), made, parties, parties.limit)).toBeUndefined();
    expect(await holds(wish().input, fillSigner.address)).toBe(before);
    expect(await holds(wish().output, RECIPIENT)).toBe(0n);
  });

  it('takes no more than the input of its order, and finds nothing approved when it comes back', async () => {
    const { calls: made, parties } = await calls({ mode: 'TakesAll' });
    const id = await dealer.client.request({ method: 'evm_snapshot' } as never);
    const before = await holds(wish().input, fillSigner.address);
    expect(await stage.fill(wish(), made, parties, parties.limit)).toBeDefined();
    expect(before - (await holds(wish().input, fillSigner.address))).toBe(AMOUNT);
    await dealer.write(world.deployed.tokens.USDC, artifacts.testToken.abi as Abi, 'mint', [[stage.payer], 77n]);
    const { abi } = artifacts.testSwindler;
    await dealer.write(swindler, abi as Abi, 'comesBack', [world.deployed.tokens.USDC, stage.payer]);
    expect(await holds(wish().input, stage.payer)).toBe(77n);
    await dealer.client.request({ method: 'evm_revert', params: [id] } as never);
  });

  it.each<[string, () => Partial<Answer>]>([
    ['the token itself, to move what is not its own', () => theft(world.deployed.tokens.USDC)],
    ['the router of this service', () => ({ to: world.deployed.router })],
    ['the depository', () => ({ to: world.deployed.depository })],
    ['the signer of fills', () => ({ to: fillSigner.address as Address })],
    ['the account of the order', () => ({ to: stage.payer })],
    ['another spender', () => ({ spender: THIEF })],
    ['the router of this service as spender', () => ({ spender: world.deployed.router })],
    ['coin in addition to the token', () => ({ value: 1n })],
    ['all the coin there is', () => ({ value: 2n ** 256n - 1n })],
    ['a call too long to be made', () => ({ data: `0x${'ab'.repeat(20_000)}` as Hex })],
  ])('wants %s: is not built', async (_, over) => {
    const { made } = await built({ mode: 'Honest', over: over() });
    expect(made).toMatchObject({ ok: false, why: 'unavailable' });
    expect(plug.said.at(-1)).toContain('is refused');
  });

  const theft = (token: Address): Partial<Answer> => ({
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [fillSigner.address, THIEF, 1n] }),
  });
});
