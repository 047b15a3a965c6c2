import { expect, it } from 'vitest';
import type { EvmChainOptions } from '../../src/options.js';
import { swapConfig } from '../../src/swaps/config.js';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const CHAIN: EvmChainOptions = {
  ...{ id: 1, name: 'one', displayName: 'One', rpc: [{ http: 'http://127.0.0.1:1' }] },
  contracts: { wrappedNative: address('A') },
  currencies: [
    { symbol: 'ONE', name: 'One', address: address('1'), decimals: 6, group: 'one' },
    { symbol: 'FEE', name: 'Fee', address: address('2'), decimals: 6, group: 'fee', transferFeeBps: 100 },
  ],
};
const v2 = { factory: address('5'), router: address('6') };
const v3 = { factory: address('7'), router: address('8') };

it('a chain without swaps has none', () => {
  expect(swapConfig(CHAIN, 0)).toBeUndefined();
});

it('routes pass the currencies of the chain, what wraps its coin, and what else is listed, but nothing that charges a fee on transfer', () => {
  const config = swapConfig({ ...CHAIN, swaps: { uniswapV2: v2, through: [address('3'), address('1')] } }, 0);
  expect(config).toEqual({
    tokens: [address('a'), address('1'), address('3')],
    wrapped: address('a'),
    maxHops: 3,
    maxAgeMs: 36_000,
    pairs: { ...v2, fee: 3_000 },
  });
  const fast = swapConfig({ ...CHAIN, blockTimeMs: 250, swaps: { uniswapV3: v3 } }, 0);
  expect(fast).toMatchObject({ maxAgeMs: 10_000, pools: { fees: [100, 500, 3_000, 10_000], words: 8 } });
});

it.each([
  ['chains[2].contracts.wrappedNative', { contracts: {} }],
  ['chains[2].swaps.uniswapV2.router', { swaps: { uniswapV2: { ...v2, router: address('0') } } }],
  ['chains[2].swaps.uniswapV3.factory', { swaps: { uniswapV3: { ...v3, factory: 'devnet' } } }],
  ['chains[2].swaps.through[0]', { swaps: { through: ['0x0'] } }],
])('%s is named where it is wrong', (where, change) => {
  expect(() => swapConfig({ ...CHAIN, swaps: { uniswapV2: v2 }, ...change }, 2)).toThrow(
    expect.objectContaining({ optionPath: where }),
  );
});
