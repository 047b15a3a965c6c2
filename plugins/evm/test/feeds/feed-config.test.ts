import { describe, expect, it } from 'vitest';
import { feedsConfig } from '../../src/feeds/feed-config.js';
import type { AggregatorOptions, ChainFeedsOptions, FeedsOptions } from '../../src/feeds/options.js';
import type { EvmChainOptions } from '../../src/options.js';

const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const ETHER: AggregatorOptions = { prices: 'Ether', address: address(1), heartbeatMs: 60_000 };

function chain(feeds?: ChainFeedsOptions): EvmChainOptions {
  const rpc = [{ http: 'https://rpc.example.org' }];
  return { id: 1, name: 'one', displayName: 'One', rpc, ...(feeds && { feeds }) };
}

const configOf = (aggregators: readonly AggregatorOptions[], feeds: Partial<FeedsOptions> = {}, sequencer?: string) =>
  feedsConfig({
    chains: [chain(), chain({ aggregators, ...(sequencer && { sequencer: { address: sequencer } }) })],
    feeds,
  });

describe('feeds in the options', () => {
  it('are none where no chain lists any', () => {
    expect(feedsConfig({ chains: [chain()] })).toBeUndefined();
  });

  it('are kept by chain, and priced by name without case', () => {
    const steth: AggregatorOptions = {
      prices: 'steth',
      in: 'ETHER',
      address: address(2),
      heartbeatMs: 60_000,
      min: '0.5',
    };
    const config = configOf([ETHER, steth], { jumpBps: 500 }, address(9));
    expect(config?.assets.map(({ name }) => name)).toEqual(['ether', 'steth']);
    expect(config?.assets[0]?.rules).toMatchObject({ minProviders: 1, jumpBps: 500n, outlierBps: 200n });
    expect([...(config?.chains ?? [])].map(([index]) => index)).toEqual([1]);
    expect(config?.chains.get(1)).toMatchObject({
      sequencer: { address: address(9), graceMs: 3_600_000 },
      aggregators: [{ asset: 'ether' }, { asset: 'steth', in: 'ether', min: 5n * 10n ** 17n }],
    });
  });

  const BAD_SUM = '0x5F4eC3Df9cbd43714FE2740f5E3616155c5b8410';
  it.each<[string, readonly AggregatorOptions[], Partial<FeedsOptions>, string]>([
    ['an address with a typing error', [{ ...ETHER, address: BAD_SUM }], {}, 'chains[1].feeds.aggregators[0].address'],
    ['a feed twice', [ETHER, { ...ETHER, prices: 'ETHER' }], {}, 'chains[1].feeds.aggregators[1].address'],
    ['a unit that nothing prices', [{ ...ETHER, in: 'gold' }], {}, 'chains[1].feeds.aggregators[0].in'],
    ['prices in a circle', [{ ...ETHER, in: 'ether' }], {}, 'chains'],
    ['a limit of nothing', [{ ...ETHER, min: '0' }], {}, 'chains[1].feeds.aggregators[0].min'],
    ['fewer feeds than must agree', [ETHER], { minFeeds: 2 }, 'feeds.minFeeds'],
    ['fewer providers than must agree', [ETHER], { rpcProviders: 2 }, 'feeds.rpcProviders'],
  ])('refuse %s', (_, aggregators, feeds, optionPath) => {
    expect(() => configOf(aggregators, feeds)).toThrowError(expect.objectContaining({ optionPath }));
  });

  it('refuse a sequencer feed with a typing error', () => {
    expect(() => configOf([ETHER], {}, BAD_SUM)).toThrowError(
      expect.objectContaining({ optionPath: 'chains[1].feeds.sequencer.address' }),
    );
  });
});
