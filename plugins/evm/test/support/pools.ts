import { Providers } from '@causeway/core/rpc';
import { type Abi, type Address, parseUnits } from 'viem';
import { type Anvil, artifacts } from '../../src/devnet/index.js';
import type { RpcBlock } from '../../src/rpc/types.js';
import type { SwapConfig } from '../../src/swaps/config.js';
import { pairRouter } from '../../src/swaps/pair-router.js';
import { PoolFeed } from '../../src/swaps/pool-feed.js';
import { RouterVenue } from '../../src/swaps/router-venue.js';
import { poolRouter } from '../../src/swaps/v3/pool-router.js';
import type { Venue } from '../../src/swaps/venue.js';
import { clock, countingMetrics, recordingAlerts, recordingLogger } from './services.js';
import { addPair, addPosition, type Dealer, deployUniswap, uniswapArtifacts } from './uniswap.js';

const DECIMALS = 18;
const units = (amount: string) => parseUnits(amount, DECIMALS);
const Q96 = 2n ** 96n;

export interface Followed {
  readonly feed: PoolFeed;
  readonly alerts: ReturnType<typeof recordingAlerts>;
  /** Reads the newest block. */
  look(): Promise<void>;
}

/** Pools of both kinds between four tokens, one of them the wrapped coin. */
export interface PoolWorld extends Followed {
  readonly dealer: Dealer;
  readonly tokens: readonly Address[];
  readonly wrapped: Address;
  readonly config: SwapConfig;
  readonly venues: { readonly pairs: Venue; readonly pools: Venue };
}

/**
 * Deploys and reads pools that differ in every relevant respect.
 *
 * @param readAt RPC endpoint of the feed.
 */
export async function poolWorld(anvil: Anvil, readAt = anvil.rpcUrl): Promise<PoolWorld> {
  const dealer = await deployUniswap(anvil.rpcUrl, anvil.chainId);
  const { client, wallet, uniswap, write } = dealer;
  const { testToken } = artifacts;
  const made: Address[] = [];
  for (const symbol of ['AAA', 'BBB', 'CCC']) {
    const hash = await wallet.deployContract({ ...testToken, args: [symbol, symbol, DECIMALS] });
    const { contractAddress } = await client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error(`${symbol} was not deployed`);
    made.push(contractAddress);
  }
  const own = wallet.account.address;
  for (const token of made) await write(token, testToken.abi as Abi, 'mint', [[own], units('1000000000')]);
  await write(uniswap.wrapped, uniswapArtifacts.wrapped.abi, 'deposit', [], units('5000'));
  const [a, b, c] = made as [Address, Address, Address];
  const w = uniswap.wrapped;
  await addPair(dealer, [
    [a, units('1000000')],
    [b, units('2500000')],
  ]);
  await addPair(dealer, [
    [b, units('300000')],
    [c, units('123456.789')],
  ]);
  await addPair(dealer, [
    [c, units('90000')],
    [w, units('1000')],
  ]);
  for (const [one, other, fee, spacing] of [
    [a, b, 500, 10],
    [a, b, 3_000, 60],
    [b, c, 3_000, 60],
    [c, w, 10_000, 200],
    [a, w, 500, 10],
  ] as const) {
    const [token0, token1] = one.toLowerCase() < other.toLowerCase() ? [one, other] : [other, one];
    const base = { token0, token1, fee, sqrtPrice: Q96 };
    for (const [lower, upper, amount] of [
      [-40, 40, '300'],
      [-7, 3, '120'],
      [2, 11, '75.5'],
      [-25, -12, '60'],
      [13, 90, '44'],
    ] as const)
      await addPosition(dealer, {
        ...base,
        tickLower: lower * spacing,
        tickUpper: upper * spacing,
        amount0: units(amount),
        amount1: units(amount),
      });
  }
  const canonical = (address: string) => address.toLowerCase() as Address;
  const config: SwapConfig = {
    tokens: [...made, w].map(canonical),
    wrapped: canonical(w),
    maxHops: 3,
    maxAgeMs: 60_000,
    pairs: { factory: canonical(uniswap.pairFactory), router: canonical(uniswap.pairRouter), fee: 3_000 },
    pools: {
      factory: canonical(uniswap.poolFactory),
      router: canonical(uniswap.swapRouter),
      fees: [500, 3_000, 10_000],
      words: 6,
    },
  };
  const followed = await follow(readAt, anvil.chainId, config);
  const { feed } = followed;
  const venues = {
    pairs: new RouterVenue(() => feed.known('pair'), pairRouter(canonical(uniswap.pairRouter)), canonical(w), 3),
    pools: new RouterVenue(() => feed.known('pool'), poolRouter(canonical(uniswap.swapRouter)), canonical(w), 3),
  };
  return { ...followed, dealer, tokens: config.tokens as readonly Address[], wrapped: canonical(w), config, venues };
}

export async function follow(http: string, chainId: number, config: SwapConfig): Promise<Followed> {
  const services = { clock, log: recordingLogger(), alerts: recordingAlerts(), metrics: countingMetrics() };
  const settings = {
    ...{
      chainId,
      path: 'test',
      endpoints: [{ http }],
      identify: async () => ({ ok: true }),
    },
    ...{ timeoutMs: 10_000, maxInFlight: 4, maxBatch: 100 },
  };
  const providers = new Providers(settings as never, services);
  await providers.start();
  const feed = new PoolFeed({ id: chainId, name: 'test' }, config, providers, services);
  const look = async () => {
    const [provider] = providers.usable();
    if (!provider) throw new Error('no provider');
    const block = await provider.rpc.request<RpcBlock>('eth_getBlockByNumber', ['latest', false]);
    const height = Number(block.number);
    const head = {
      height,
      id: block.hash,
      parentHash: block.parentHash,
      timestamp: 0,
      baseFee: null,
      logsBloom: undefined,
      empty: false,
    };
    feed.onHead({ ...head, provider, at: clock.now() });
    for (let n = 0; n < 500 && feed.height < height; n += 1) await clock.sleep(10);
    if (feed.height !== height) throw new Error(`the feed is at ${feed.height}, and the chain at ${height}`);
  };
  await look();
  return { feed, alerts: services.alerts, look };
}
