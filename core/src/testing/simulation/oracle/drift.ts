import type { ChainId } from '../../../contract/ids.js';
import { divide, powerOfTen } from '../../../domain/decimal.js';
import type { World } from '../world.js';
import { givenBy, type Promised } from './promised.js';

/** Bound on what a late payment may gain by price moves. */
export interface Drift {
  readonly numerator: bigint;
  readonly denominator: bigint;
  /**
   * At the quote's prices its input buys less than this above the promise, smallest unit of the output: one for a given
   * input. For a given output the input is rounded up, and a late payment gets the worth of all of it, where its output
   * may differ: what one unit of input is worth at most.
   */
  readonly above: bigint;
}

/** By the lowest and highest prices so far. */
export function driftOf({ spectator, market }: PricedWorld, promise: Promised): Drift {
  const known = (chainId: ChainId, currency: string) => {
    const { group = '', decimals = 0 } = spectator(chainId).currency(currency) ?? {};
    const { least, most } = market.range(group);
    return { group, one: powerOfTen(decimals), least: BigInt(least), most: BigInt(most) };
  };
  const paid = known(promise.originChainId, promise.currencyIn);
  const got = known(promise.destinationChainId, givenBy(promise).currency);
  const isSame = paid.group === got.group;
  const moved = isSame
    ? { numerator: 1n, denominator: 1n }
    : { numerator: paid.most * got.most, denominator: paid.least * got.least };
  if (promise.tradeType !== 'EXPECTED_OUTPUT') return { ...moved, above: 1n };
  const [worth, of] = isSame ? [1n, 1n] : [paid.most, got.least];
  return { ...moved, above: of === 0n ? 1n : divide(worth * got.one, of * paid.one, 'ceil') };
}

interface PricedWorld {
  readonly spectator: World['spectator'];
  readonly market: Pick<World['market'], 'range'>;
}
