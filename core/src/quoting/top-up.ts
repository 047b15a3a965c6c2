import type { ChainAdapter, CostEstimate } from '../contract/chain-adapter.js';
import type { Currency } from '../contract/currency.js';
import type { TopUpTerms } from '../domain/fees.js';
import { amountFromMicroUsd, convert, formatUnits, microUsdText, parseAmount, valueMicroUsd } from '../domain/money.js';
import { groupPrice } from '../domain/pair-price.js';
import type { ServicePolicy } from '../domain/policy.js';
import type { TopUpPromise } from '../domain/quote.js';
import { spreadBps } from '../domain/spread.js';
import { leastTopUp, withSpread } from '../domain/top-up.js';
import { ApiError, apiError, invalidRequest } from '../errors/api-error.js';
import type { QuoteAsk } from './ask.js';
import { badCalls } from './calls.js';
import type { Market } from './market.js';
import type { PlanStage } from './plan-stage.js';
import type { QuotingDeps } from './quoting-deps.js';
import { NO_SAY } from './recipient-cost.js';
import type { Route } from './route.js';
import type { Stage } from './stage.js';
import type { ValidAsk } from './validate.js';
import { asked } from './within.js';

const USUAL_MICRO_USD = 2_000_000n;

export interface TopUp {
  readonly coin: Currency;
  readonly promise: TopUpPromise;
  readonly terms: TopUpTerms;
  /** Part of that for price risk, micro-USD. */
  readonly spreadMicroUsd: bigint;
}

/** Micro-USD; null: none. An output in native coin needs no top-up. */
export function askedTopUp(
  ask: QuoteAsk,
  destination: ChainAdapter,
  { mostTopUpMicroUsd }: Pick<ServicePolicy, 'mostTopUpMicroUsd'>,
): Stage<bigint | null> {
  if (ask.topupGas !== true || destination.currency(ask.destinationCurrency)?.isNative === true) return null;
  const asked = ask.topupGasAmount === undefined ? undefined : parseAmount(ask.topupGasAmount);
  const amount = asked?.ok ? asked.amount : USUAL_MICRO_USD;
  if (amount === 0n) return invalidRequest('topupGasAmount', 'must be more than 0');
  if (amount <= mostTopUpMicroUsd) return amount;
  return invalidRequest('topupGasAmount', `must be worth at most ${microUsdText(mostTopUpMicroUsd)} USD`);
}

/** Amount of the top-up at current prices and fees, from memory; undefined if none is asked for. */
export function readTopUp(
  ask: ValidAsk,
  route: Route,
  market: Market,
  deps: Pick<QuotingDeps, 'engine' | 'policy' | 'prices' | 'clock'>,
): Stage<TopUp | undefined> {
  if (ask.topUpMicroUsd === null) return undefined;
  const { chain } = route.destination;
  const coin = chain.facts.currency;
  const usd = market.destinationNativeUsd;
  const amount = amountFromMicroUsd(ask.topUpMicroUsd, coin.decimals, usd, 'floor');
  if (amount === 0n) return invalidRequest('topupGasAmount', `is worth less than one unit of ${coin.symbol}`);
  const inFill = ask.calls.coin > 0n;
  const unfit = inFill ? refuseTooSmall(ask, coin, amount, usd) : refuseUnpayable(ask, route, amount);
  const wrong = unfit ?? refuseBeyondMeans(route, amount, deps);
  if (wrong) return wrong;
  const paying = inFill ? IN_FILL : (ask.topUpCost ?? chain.legCost('fill', coin.address, ask.recipient));
  if (!paying) return apiError('SERVICE_UNAVAILABLE', `The fees of ${chain.facts.displayName} are not known yet`);
  const { currency } = route.origin;
  const sameGroup = currency.group === coin.group;
  const pair = sameGroup ? groupPrice(market.inUsd, usd) : { inUsd: market.inUsd, outUsd: usd };
  const ms = ageOf(coin, market, deps) + route.origin.chain.facts.quoteValidityMs;
  const spread = spreadBps(deps.policy.spread, [currency.group, coin.group], ms);
  const bare = convert(amount, coin.decimals, pair.outUsd, currency.decimals, pair.inUsd, 'ceil');
  const value = withSpread(bare, spread);
  const gas = convert(paying.native, coin.decimals, usd, currency.decimals, market.inUsd, 'ceil');
  return {
    coin,
    promise: {
      currency: coin.address,
      symbol: coin.symbol,
      decimals: coin.decimals,
      amount: amount.toString(),
      minimumAmount: larger(leastTopUp(amount, ask.slippageBps), ask.calls.coin).toString(),
      usd,
      spreadBps: spread,
      ...(paying.work === undefined ? {} : { work: paying.work.toString() }),
      ...(inFill ? { inFill } : {}),
    },
    terms: { value: value.toString(), gas: gas.toString() },
    spreadMicroUsd: valueMicroUsd(value - bare, currency.decimals, market.inUsd, 'ceil'),
  };
}

const IN_FILL: Pick<CostEstimate, 'native' | 'work'> = { native: 0n };

/** Refuses a top-up smaller than what the calls spend. */
function refuseTooSmall({ calls }: ValidAsk, coin: Currency, amount: bigint, usd: string): ApiError | undefined {
  if (calls.coin <= amount) return undefined;
  const least = valueMicroUsd(calls.coin, coin.decimals, usd, 'ceil');
  const spent = `spend ${calls.coin} of native coin, more than the ${amount} of the gas top-up`;
  return badCalls('txs', `${spent}: ask for at least ${least} now (topupGasAmount)`);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function ageOf(
  coin: Currency,
  { priceAgeMs }: Market,
  { prices, clock }: Pick<QuotingDeps, 'prices' | 'clock'>,
): number {
  const price = prices.price(coin);
  return price.ok ? Math.max(priceAgeMs, clock.now() - price.at) : priceAgeMs;
}

/** Refuses coin that the recipient could never receive. */
function refuseUnpayable(ask: ValidAsk, route: Route, amount: bigint): ApiError | undefined {
  const { chain } = route.destination;
  const coin = chain.facts.currency;
  const refusal = chain.refuseFill?.({ currency: coin.address, amount, recipient: ask.recipient });
  if (refusal === undefined) return undefined;
  if (refusal.why === 'amount') return tooLittle(coin, refusal.least, refusal.message);
  if (ask.preview || chain.facts.burnAddresses.includes(ask.recipient)) return undefined;
  const context = { field: ask.recipientField, reason: refusal.message };
  return apiError('INVALID_RECIPIENT', `The recipient cannot be paid a gas top-up: ${refusal.message}`, context);
}

function tooLittle(coin: Currency, least: bigint, why: string): ApiError {
  const minimum = `${formatUnits(least, coin.decimals)} ${coin.symbol}`;
  return invalidRequest('topupGasAmount', `must be worth at least ${minimum}: ${why}`);
}

function refuseBeyondMeans(
  { destination: { chain } }: Route,
  amount: bigint,
  { engine }: Pick<QuotingDeps, 'engine'>,
): ApiError | undefined {
  const coin = chain.facts.currency;
  const available = engine.available(chain.facts.id, coin.address);
  if (available >= amount) return undefined;
  const most = `${formatUnits(available > 0n ? available : 0n, coin.decimals)} ${coin.symbol} on ${chain.facts.displayName}`;
  return apiError('INSUFFICIENT_LIQUIDITY', `The solver can pay out at most ${most} now`, {
    field: 'topupGasAmount',
    reason: `pays out more than ${most}`,
  });
}

/**
 * Charges the user if the recipient influences the cost. Unchanged for coin paid in the fill, in previews, and if
 * price or chain is unavailable, which a later stage reports.
 */
export async function withTopUpCost(
  ask: ValidAsk,
  { destination: { chain } }: Route,
  { prices, clock }: Pick<QuotingDeps, 'prices' | 'clock'>,
): Promise<Stage<ValidAsk>> {
  const coin = chain.facts.currency;
  const price = prices.price(coin);
  if (
    ask.topUpMicroUsd === null ||
    ask.calls.coin > 0n ||
    !chain.fillCost ||
    ask.preview ||
    !price.ok ||
    !chain.status().healthy
  )
    return ask;
  const amount = amountFromMicroUsd(ask.topUpMicroUsd, coin.decimals, price.usd, 'floor');
  const wish = { currency: coin.address, amount, recipient: ask.recipient };
  const reported = await asked(clock, ask.caller, (asker) => chain.fillCost?.(wish, asker) ?? NO_SAY).catch(
    () => 'failed' as const,
  );
  if (reported === 'late') return apiError('REQUEST_TIMED_OUT');
  if (reported === 'failed') return apiError('RPC_HTTP_ERROR');
  if (reported === undefined) return ask;
  if (!('ok' in reported)) return { ...ask, topUpCost: reported };
  if (reported.kind === 'unavailable') return apiError('RPC_HTTP_ERROR');
  if (reported.least !== undefined) return tooLittle(coin, reported.least, reported.message);
  const context = { field: ask.recipientField, reason: reported.message };
  const message = `The recipient cannot be paid a gas top-up: ${reported.message}`;
  return new ApiError('DESTINATION_TX_FAILED', message, context, undefined, reported);
}

export const topUpStage: PlanStage = {
  serves: (feature) => feature === 'topupGas',
  add({ ask, route: { destination }, pricing: { topUp } }) {
    if (topUp === undefined) return [];
    const { blockTimeMs: ms } = destination.chain.facts;
    const { coin, promise, spreadMicroUsd } = topUp;
    const [amount, least] = [BigInt(promise.amount), BigInt(promise.minimumAmount)];
    // Sent with the output, or once that is on its chain.
    const timing = promise.inFill ? { ms: 0, leastMs: 0 } : { ms, leastMs: ms };
    return [
      {
        kind: 'topUp',
        coin,
        recipient: ask.recipient,
        amount,
        least,
        usd: promise.usd,
        ...timing,
        lossMicroUsd: spreadMicroUsd,
      },
    ];
  },
};
