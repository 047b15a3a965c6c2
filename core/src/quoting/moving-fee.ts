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

/** Inputs of dynamic fees, from memory. */
export interface FeeInputs {
  /**
   * Lane inventory by the books, smallest unit. Only payouts and collections change it, never quotes, earmarks or
   * reservations, so that manipulating it is costly.
   */
  held(chainId: ChainId, currency: string): bigint;
  /** Recent price range of a pair, hundredths of a per cent; 0 if unknown. */
  rangeBps(input: Currency, output: Currency): number;
}

type Deps = Pick<QuotingDeps, 'chains' | 'policy' | 'feeInputs'>;

/**
 * The route's fee, adjusted for inventory and market if configured, and frozen with the quote's terms. Based on the
 * output before fees, or on the exact output: it must not depend on the fee itself.
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
