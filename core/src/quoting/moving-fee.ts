import type { Currency } from '../contract/currency.js';
import type { ChainId } from '../contract/ids.js';
import { divide, powerOfTen } from '../domain/decimal.js';
import { convert } from '../domain/money.js';
import { type Holding, movedBps, type SkewPolicy, skewBps, volatilityBps } from '../domain/moving-fees.js';
import type { RouteFee } from '../domain/policy.js';
import type { Market } from './market.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';
import type { ValidAsk } from './validate.js';

/** What moves fees. From memory. */
export interface FeeInputs {
  /**
   * What the books say that the lanes of a chain hold of a currency, smallest unit. Nothing that is quoted, kept for a fixed rate
   * or reserved changes it: only what was paid out and collected does, which costs whoever would move it.
   */
  held(chainId: ChainId, currency: string): bigint;
  /** How far the price of a pair moved of late, hundredths of a per cent; 0 while that is not known. */
  rangeBps(input: Currency, output: Currency): number;
}

type Deps = Pick<QuotingDeps, 'chains' | 'policy' | 'feeInputs'>;

/**
 * What the service takes of a quote: what is usual on its route, moved by the inventory and the market where the operator says so.
 * It is frozen with the quote's terms.
 *
 * The output that it is judged by is the one before fees, or the one that was asked for: it may not depend on the fee.
 */
export function movingFee(
  ask: Pick<ValidAsk, 'tradeType' | 'amount'>,
  route: Route,
  market: Market,
  deps: Deps,
): RouteFee {
  const { movingFees: policy } = deps.policy;
  const { feeInputs: inputs } = deps;
  if (policy === undefined || inputs === undefined) return route.fee;
  const { skew, volatility } = policy;
  const moved = volatility && !route.sameGroup ? inputs.rangeBps(route.origin.currency, route.destination.currency) : 0;
  return {
    ...route.fee,
    bps: movedBps(
      policy,
      route.fee.bps,
      skew ? skewBps(skew, holdingOf(ask, route, market, skew, { ...deps, inputs })) : 0,
      volatility ? volatilityBps(volatility, moved) : 0,
    ),
  };
}

function holdingOf(
  { tradeType, amount }: Pick<ValidAsk, 'tradeType' | 'amount'>,
  { origin, destination }: Route,
  { inUsd, outUsd }: Market,
  { weights }: SkewPolicy,
  { chains, inputs }: Pick<Deps, 'chains'> & { readonly inputs: FeeInputs },
): Holding {
  const { currency } = destination;
  const out =
    tradeType === 'EXACT_INPUT'
      ? convert(amount, origin.currency.decimals, inUsd, currency.decimals, outUsd, 'floor')
      : amount;
  const weightOf = (chainId: ChainId) => weights.find((one) => one.chainId === chainId)?.weight ?? 1;
  let total = 0n;
  let sum = 0;
  for (const chain of chains.values()) {
    if (!chain.lanes.some(({ sends }) => sends.includes('fill'))) continue;
    for (const one of chain.currencies()) {
      if (one.group !== currency.group) continue;
      total += scaled(inputs.held(chain.facts.id, one.address), one.decimals, currency.decimals);
      sum += weightOf(chain.facts.id);
    }
  }
  const { chainId, address } = currency;
  return { held: inputs.held(chainId, address), total, taken: out, weight: weightOf(chainId), weights: sum };
}

function scaled(amount: bigint, from: number, to: number): bigint {
  return from <= to ? amount * powerOfTen(to - from) : divide(amount, powerOfTen(from - to), 'floor');
}
