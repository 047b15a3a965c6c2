import type { DevnetFile } from '../dev/devnet-file.js';
import type { ChainEntry } from './client.js';
import { isExecutedByPayers } from './in-pools-alone.js';

type Chain = DevnetFile['chains'][number];
type Currency = Chain['currencies'][number];
type Native = (chain: Chain) => Currency;

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
  readonly lastStep: 'deposit' | 'swap' | 'send';
  readonly bySolver?: true;
  /** Native coin, smallest unit, that a call of the fill sends to the recipient; the fill delivers the rest. */
  readonly byCall?: bigint;
  /** Paid by a plain transfer to a deposit address. */
  readonly toAddress?: true;
}

const parts = (currency: Currency, numerator: bigint, denominator: bigint) =>
  (10n ** BigInt(currency.decimals) * numerator) / denominator;
const coins = (currency: Currency) => parts(currency, 1n, 10n);
const tokens = (currency: Currency) => parts(currency, 100n, 1n);

/**
 * Each kind of request between and within the first two chains, then between all families, then by a deposit address of each.
 *
 * @param pooled symbol of a currency that only pools of the second chain have.
 */
export function scenarios(devnet: DevnetFile, known: readonly ChainEntry[], pooled?: string): readonly Scenario[] {
  const [from, to] = devnet.chains;
  if (!from || !to) throw new Error('the local build has fewer than two chains');
  const native: Native = (chain) => {
    const symbol = known.find(({ id }) => id === chain.id)?.currency.symbol;
    const found = chain.currencies.find((currency) => currency.symbol === symbol) ?? chain.currencies[0];
    if (!found) throw new Error(`chain ${chain.id} has no currencies`);
    return found;
  };
  return [
    ...ofEachKind(from, to, native, { pooled, untaken: untakenOn(from, known) }),
    ...ofEachFamily(devnet.chains, native),
    ...byAddresses(devnet.chains, native),
  ];
}

function untakenOn({ id, currencies }: Chain, known: readonly ChainEntry[]): Currency | undefined {
  const tokens = known.find((chain) => chain.id === id)?.erc20Currencies ?? [];
  return currencies.find((one) => tokens.some((t) => t.address === one.address && !t.supportsBridging));
}

interface Swapped {
  readonly pooled: string | undefined;
  readonly untaken: Currency | undefined;
}

function ofEachKind(from: Chain, to: Chain, native: Native, { pooled, untaken }: Swapped): readonly Scenario[] {
  const [coinA, coinB] = [native(from), native(to)];
  const [tokenA, tokenB] = sharedToken(from, to, native) ?? [];
  const forth = { from, to, tradeType: 'EXACT_INPUT', expected: 'success', lastStep: 'deposit' } as const;
  const byPayer = isExecutedByPayers(from);
  const swaps = byPayer ? 'swap' : 'deposit';
  const list: Scenario[] = [
    {
      ...forth,
      title: `native: ${coinA.symbol} to ${coinB.symbol}`,
      input: coinA,
      output: coinB,
      amount: coins(coinA),
    },
  ];
  list.push({
    ...forth,
    title: `call: a part of ${coinB.symbol} by a call on ${to.name}`,
    input: coinA,
    output: coinB,
    amount: coins(coinA),
    byCall: parts(coinB, 1n, 100n),
  });
  if (tokenA && tokenB) {
    list.push(
      {
        ...forth,
        title: `token: ${tokenA.symbol} to ${tokenB.symbol}`,
        input: tokenA,
        output: tokenB,
        amount: tokens(tokenA),
      },
      {
        ...forth,
        title: `cross asset: ${coinA.symbol} to ${tokenB.symbol}`,
        input: coinA,
        output: tokenB,
        amount: parts(coinA, 1n, 20n),
      },
      {
        ...forth,
        title: `swap within ${from.name}: ${tokenA.symbol} to ${coinA.symbol}`,
        to: from,
        input: tokenA,
        output: coinA,
        amount: tokens(tokenA),
        lastStep: swaps,
      },
    );
    if (byPayer)
      list.push({
        ...forth,
        title: `swap by the solver within ${from.name}: ${tokenA.symbol} to ${coinA.symbol}`,
        to: from,
        input: tokenA,
        output: coinA,
        amount: tokens(tokenA),
        bySolver: true,
      });
    const inPools = to.currencies.find(({ symbol }) => symbol === pooled);
    if (inPools)
      list.push({
        ...forth,
        title: `swap in the fill: ${tokenA.symbol} to ${inPools.symbol}, which the solver does not hold`,
        input: tokenA,
        output: inPools,
        amount: tokens(tokenA),
      });
    if (untaken)
      list.push({
        ...forth,
        title: `swap in the deposit: ${untaken.symbol}, which the solver does not accept, to ${tokenB.symbol}`,
        input: untaken,
        output: tokenB,
        amount: parts(untaken, 20n, 1n),
      });
  }
  const wrapped = from.currencies.find(({ address }) => address === from.contracts['wrappedNative']);
  if (wrapped) {
    const within = { ...forth, to: from, amount: coins(coinA), lastStep: swaps } as const;
    list.push(
      { ...within, title: `wrap on ${from.name}: ${coinA.symbol} to ${wrapped.symbol}`, input: coinA, output: wrapped },
      {
        ...within,
        title: `unwrap on ${from.name}: ${wrapped.symbol} to ${coinA.symbol}`,
        input: wrapped,
        output: coinA,
      },
    );
  }
  list.push(
    {
      ...forth,
      title: `send on ${from.name}: ${coinA.symbol} to another account`,
      to: from,
      lastStep: byPayer ? 'send' : 'deposit',
      input: coinA,
      output: coinA,
      amount: coins(coinA),
    },
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
      amount: coins(coinA),
      expected: 'refund',
    },
  );
  return list;
}

function firstsOf(chains: readonly Chain[]): readonly Chain[] {
  return chains.filter(({ vmType }, n) => chains.findIndex((other) => other.vmType === vmType) === n);
}

function byAddresses(chains: readonly Chain[], native: Native): readonly Scenario[] {
  return firstsOf(chains).flatMap((from) => {
    const to = chains.find((other) => other !== from);
    if (to === undefined) return [];
    const [input, output] = [native(from), native(to)];
    const title = `deposit address on ${from.name} (${from.vmType}): ${input.symbol} to ${output.symbol} on ${to.name}`;
    const usual = { tradeType: 'EXACT_INPUT', expected: 'success', lastStep: 'deposit', toAddress: true } as const;
    return [{ ...usual, title, from, to, input, output, amount: coins(input) }];
  });
}

function ofEachFamily(chains: readonly Chain[], native: Native): readonly Scenario[] {
  const firsts = firstsOf(chains);
  return firsts.flatMap((there, n) => firsts.slice(0, n).flatMap((here) => between(here, there, native)));
}

function between(here: Chain, there: Chain, native: Native): readonly Scenario[] {
  const [coinHere, coinThere] = [native(here), native(there)];
  const [tokenHere, tokenThere] = sharedToken(here, there, native) ?? [];
  const chains = `${here.name} (${here.vmType}) to ${there.name} (${there.vmType})`;
  const back = `${there.name} (${there.vmType}) to ${here.name} (${here.vmType})`;
  const usual = { tradeType: 'EXACT_INPUT', lastStep: 'deposit' } as const;
  const forth = { ...usual, from: here, to: there, expected: 'success' } as const;
  const home = { ...usual, from: there, to: here } as const;
  const inCoins = { input: coinThere, output: coinHere, amount: coins(coinThere) };
  const inTokens =
    tokenHere && tokenThere ? { input: tokenThere, output: tokenHere, amount: tokens(tokenThere) } : inCoins;
  const { input, output } = inTokens;
  return [
    {
      ...forth,
      title: `${chains}: ${coinHere.symbol} to ${coinThere.symbol}`,
      input: coinHere,
      output: coinThere,
      amount: coins(coinHere),
    },
    { ...home, ...inTokens, title: `${back}: ${input.symbol} to ${output.symbol}`, expected: 'success' },
    { ...home, ...inCoins, title: `refund on ${there.name}: ${coinThere.symbol}, forced`, expected: 'refund' },
  ];
}

function sharedToken(a: Chain, b: Chain, native: Native): readonly [Currency, Currency] | undefined {
  for (const one of a.currencies) {
    const other = b.currencies.find(({ symbol }) => symbol === one.symbol);
    if (one !== native(a) && other && other !== native(b)) return [one, other];
  }
  return undefined;
}
