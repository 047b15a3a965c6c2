import type { DevnetFile } from '../dev/devnet-file.js';
import type { ChainEntry } from './client.js';

type Chain = DevnetFile['chains'][number];
type Currency = Chain['currencies'][number];

export interface Scenario {
  readonly title: string;
  readonly from: Chain;
  readonly to: Chain;
  readonly input: Currency;
  readonly output: Currency;
  /** Smallest unit of the side that the trade type fixes. */
  readonly amount: bigint;
  readonly tradeType: 'EXACT_INPUT' | 'EXACT_OUTPUT';
  readonly expected: 'success' | 'refund';
}

const parts = (currency: Currency, numerator: bigint, denominator: bigint) =>
  (10n ** BigInt(currency.decimals) * numerator) / denominator;

/** One transfer of each kind between the first two chains of the local build. */
export function scenarios(devnet: DevnetFile, known: readonly ChainEntry[]): readonly Scenario[] {
  const [from, to] = devnet.chains;
  if (!from || !to) throw new Error('the local build has fewer than two chains');
  const native = (chain: Chain): Currency => {
    const symbol = known.find(({ id }) => id === chain.id)?.currency.symbol;
    const found = chain.currencies.find((currency) => currency.symbol === symbol) ?? chain.currencies[0];
    if (!found) throw new Error(`chain ${chain.id} has no currencies`);
    return found;
  };
  const [coinA, coinB] = [native(from), native(to)];
  const tokenA = from.currencies.find(
    (each) => each !== coinA && to.currencies.some((other) => other.symbol === each.symbol),
  );
  const tokenB = to.currencies.find(({ symbol }) => symbol === tokenA?.symbol);
  const forth = { from, to, tradeType: 'EXACT_INPUT', expected: 'success' } as const;
  const list: Scenario[] = [
    {
      ...forth,
      title: `native: ${coinA.symbol} to ${coinB.symbol}`,
      input: coinA,
      output: coinB,
      amount: parts(coinA, 1n, 10n),
    },
  ];
  if (tokenA && tokenB) {
    list.push(
      {
        ...forth,
        title: `token: ${tokenA.symbol} to ${tokenB.symbol}`,
        input: tokenA,
        output: tokenB,
        amount: parts(tokenA, 100n, 1n),
      },
      {
        ...forth,
        title: `cross asset: ${coinA.symbol} to ${tokenB.symbol}`,
        input: coinA,
        output: tokenB,
        amount: parts(coinA, 1n, 20n),
      },
    );
  }
  list.push(
    {
      ...forth,
      title: `exact output: 0.05 ${coinA.symbol} back on ${from.name}`,
      from: to,
      to: from,
      input: coinB,
      output: coinA,
      amount: parts(coinA, 1n, 20n),
      tradeType: 'EXACT_OUTPUT',
    },
    {
      ...forth,
      title: `refund: ${coinA.symbol}, forced`,
      input: coinA,
      output: coinB,
      amount: parts(coinA, 1n, 10n),
      expected: 'refund',
    },
  );
  return list;
}
