import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { ApplyOutcome, Change } from '../contract/store.js';
import { counter } from '../domain/accounts.js';
import { parseDecimal } from '../domain/decimal.js';
import { microUsdText } from '../domain/money.js';
import { rateText } from '../domain/percent.js';
import type { ServicePolicy } from '../domain/policy.js';
import { type ApiError, apiError, finalError, invalidRequest, laterError } from '../errors/api-error.js';
import type { QuoteAsk, QuoteCaller } from './ask.js';
import type { QuoteFacts } from './body.js';
import type { Pricing } from './pricing.js';
import type { QuotingDeps } from './quoting-deps.js';
import type { Route } from './route.js';
import type { Stage } from './stage.js';
import type { Claims } from './unsupported.js';

const DIGITS = 18;
const FIELD = 'fixedRate';

type Policy = Pick<ServicePolicy, 'fixedRate'>;

export interface FixedRate {
  /** Minimum acceptable ratio of output to input in whole units, times 10^18; 0 for any. */
  readonly least: bigint;
  /** Charged for the reserved inventory. */
  readonly keyId: string;
}

export function fixesRates({ fixedRate }: Policy): Claims {
  return (feature) => feature === FIELD && fixedRate !== undefined;
}

/**
 * INVALID_REQUEST: not a decimal number. UNAUTHORIZED: no key to charge for the reserved inventory.
 * UNSUPPORTED_EXECUTION_TYPE: the rate would expire before a payment could be in a block.
 */
export function fixedRateOf(
  { fixedRate: text }: QuoteAsk,
  { keyId }: QuoteCaller,
  origin: ChainAdapter,
  { fixedRate: policy }: Policy,
): Stage<FixedRate | null> {
  if (text === undefined || policy === undefined) return null;
  const least = parseDecimal(text, DIGITS);
  if (least === undefined) {
    const form = `at most ${DIGITS} of them after the point`;
    return invalidRequest(
      FIELD,
      `must be a rate in the form of \`details.rate\`: decimal digits, ${form}; "0" for any`,
    );
  }
  // guard: rate-needs-key
  if (keyId === null) {
    const reason = 'rates are fixed for callers with an API key alone, because the output is reserved for them';
    return apiError('UNAUTHORIZED', `An API key is required: ${reason}`, { field: FIELD, reason });
  }
  const { displayName, blockTimeMs } = origin.facts;
  if (2 * blockTimeMs > policy.validityMs) {
    const reason = `blocks of ${displayName} take too long for a rate that is fixed for ${policy.validityMs / 1_000} s`;
    return apiError('UNSUPPORTED_EXECUTION_TYPE', `Fixed rates are not served: ${reason}`, { field: FIELD, reason });
  }
  return { least, keyId };
}

export function validityMs(fixed: FixedRate | null, { origin }: Route, { fixedRate: policy }: Policy): number {
  const { quoteValidityMs: usual } = origin.chain.facts;
  return fixed === null || policy === undefined ? usual : Math.min(usual, policy.validityMs);
}

/** Refuses if the best rate that the service can guarantee is below the requested one. */
export function refuseBelowRate(
  fixed: FixedRate | null,
  { origin, destination }: Route,
  { amountIn, amountOut }: Pricing['amounts'],
): ApiError | undefined {
  if (fixed === null) return undefined;
  const rate = rateText(amountIn, origin.currency.decimals, amountOut, destination.currency.decimals);
  if ((parseDecimal(rate, DIGITS) ?? 0n) >= fixed.least) return undefined;
  const reason = `the best rate that can be fixed now is ${rate}`;
  return apiError('NO_QUOTES', `The rate cannot be fixed: ${reason}`, { field: FIELD, reason, maximum: rate });
}

/** Refuses a quote above what may be reserved for its key or in total; other reservations do not count here. */
export function refuseBeyondKept(
  fixed: FixedRate | null,
  value: bigint,
  { fixedRate: policy }: Policy,
): ApiError | undefined {
  if (fixed === null || policy === undefined) return undefined;
  const { maxHeldMicroUsd: all, maxHeldMicroUsdPerKey: own } = policy;
  const most = own < all ? own : all;
  if (value <= most) return undefined;
  const reason = `one request with a fixed rate may be worth at most ${microUsdText(most)} USD`;
  return finalError('INSUFFICIENT_LIQUIDITY', `The amount is too large: ${reason}`, { field: 'amount', reason });
}

export function earmarkOf(
  { ask, route, pricing, promised }: QuoteFacts,
  { engine }: Pick<QuotingDeps, 'engine'>,
): readonly Change[] {
  if (ask.fixedRate === null) return [];
  const { destination } = route;
  return engine.earmark({
    id: promised.requestId,
    keyId: ask.fixedRate.keyId,
    originChainId: route.origin.chain.facts.id,
    chainId: destination.chain.facts.id,
    currency: destination.currency.address,
    amount: pricing.amounts.amountOut,
    value: pricing.valueMicroUsd,
    expiresAt: promised.expiresAt,
    deadlineAt: promised.deadlineAt,
  });
}

type Conflict = Extract<ApplyOutcome, { ok: false }>['conflict'];

/** Others reserved the rest first. Undefined for a conflict about anything else. */
export function refuseUnkept(
  fixed: FixedRate | null,
  { kind, key }: Conflict,
  { fixedRate: policy }: Policy,
): ApiError | undefined {
  if (fixed === null || policy === undefined || kind !== 'bound') return undefined;
  const seconds = Math.max(1, Math.ceil(policy.validityMs / 1_000));
  if (key === counter.earmarkedBy(fixed.keyId)) {
    const most = `${microUsdText(policy.maxHeldMicroUsdPerKey)} USD`;
    const message = `At most ${most} are kept at one time for unpaid quotes of one key: pay one, or try again in ${seconds} s`;
    return laterError('RATE_LIMITED', message, seconds);
  }
  if (key === counter.earmarked) {
    const message = `All that may be reserved for fixed rates is reserved for others now: try again in ${seconds} s`;
    return laterError('SERVICE_UNAVAILABLE', message, seconds);
  }
  const reason = 'what is left of the output currency was promised to others meanwhile';
  return apiError('INSUFFICIENT_LIQUIDITY', `The solver holds too little: ${reason}`, { field: 'amount', reason });
}
