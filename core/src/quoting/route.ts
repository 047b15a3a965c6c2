import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Currency } from '../contract/currency.js';
import type { Hex } from '../contract/ids.js';
import type { RouteFee, ServicePolicy } from '../domain/policy.js';
import type { QuoteSide } from '../domain/quote.js';
import { type Operation, operationOf, type RequestType, type RouteFacts, requestType } from '../domain/request-type.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { QuoteAsk } from './ask.js';
import { type CurrencyView, currencyView } from './currency-view.js';
import { refused, type Stage } from './stage.js';
import type { ValidAsk } from './validate.js';

/** One end of a route: everything that does not vary by quote. */
export interface RouteEnd {
  readonly chain: ChainAdapter;
  readonly currency: Currency;
  readonly view: CurrencyView;
  readonly side: QuoteSide;
  readonly extraData: Hex;
}

/** A pair of currencies on two chains, created once and shared by all quotes. */
export interface Route {
  readonly origin: RouteEnd;
  readonly destination: RouteEnd;
  readonly nativeView: CurrencyView;
  readonly requestType: RequestType;
  readonly operation: Operation;
  readonly sameChain: boolean;
  readonly sameGroup: boolean;
  readonly fee: RouteFee;
}

export class RouteTable {
  readonly #routes = new Map<string, Route>();
  readonly #policy: ServicePolicy;

  constructor(policy: ServicePolicy) {
    this.#policy = policy;
  }

  /** INVALID_INPUT_CURRENCY, INVALID_OUTPUT_CURRENCY: not an address. UNSUPPORTED_CURRENCY: not served. */
  find(ask: QuoteAsk, valid: ValidAsk): Stage<Route> {
    const origin = currencyOf(valid.origin, ask.originCurrency, 'originCurrency');
    if (refused(origin)) return origin;
    const destination = currencyOf(valid.destination, ask.destinationCurrency, 'destinationCurrency');
    if (refused(destination)) return destination;
    return this.#of(valid, origin, destination);
  }

  via(valid: ValidAsk, { origin }: Route, destination: Currency): Route {
    return this.#of(valid, origin.currency, destination);
  }

  from(valid: ValidAsk, { destination }: Route, origin: Currency): Route {
    return this.#of(valid, origin, destination.currency);
  }

  #of(valid: ValidAsk, origin: Currency, destination: Currency): Route {
    const hasCalls = valid.calls.encoded.length > 0;
    const pair = `${origin.chainId}:${origin.address}>${destination.chainId}:${destination.address}`;
    const key = hasCalls ? `${pair}+calls` : pair;
    const known = this.#routes.get(key);
    if (known) return known;
    const [from, to] = [valid.origin, valid.destination];
    const route = makeRoute(from, origin, to, destination, hasCalls, this.#policy);
    this.#routes.set(key, route);
    return route;
  }
}

type CurrencyField = 'originCurrency' | 'destinationCurrency';

function currencyOf(chain: ChainAdapter, text: string, field: CurrencyField): Stage<Currency> {
  const currency = chain.currency(text);
  if (currency) return currency;
  const parsed = chain.parseAddress(text);
  if (!parsed.ok) return malformed(field, parsed.reason);
  return apiError('UNSUPPORTED_CURRENCY', `${text} is not served on ${chain.facts.displayName}`, {
    field,
    reason: 'not served on this chain',
  });
}

function malformed(field: CurrencyField, reason: string): ApiError {
  const code = field === 'originCurrency' ? 'INVALID_INPUT_CURRENCY' : 'INVALID_OUTPUT_CURRENCY';
  return apiError(code, `${field} is not a currency address: ${reason}`, { field, reason });
}

function makeRoute(
  from: ChainAdapter,
  input: Currency,
  to: ChainAdapter,
  output: Currency,
  hasCalls: boolean,
  policy: ServicePolicy,
): Route {
  const facts = { ...routeFacts(from, input, to, output), hasCalls };
  return Object.freeze({
    origin: end(from, input),
    destination: end(to, output),
    nativeView: currencyView(from.facts.currency),
    requestType: requestType(facts),
    operation: operationOf(facts),
    sameChain: facts.sameChain,
    sameGroup: facts.sameGroup,
    fee: routeFee(policy, from.facts.id, to.facts.id),
  });
}

function routeFacts(
  from: ChainAdapter,
  input: Currency,
  to: ChainAdapter,
  output: Currency,
): Omit<RouteFacts, 'hasCalls'> {
  const sameChain = from.facts.id === to.facts.id;
  const sameGroup = input.group === output.group;
  const wraps = sameChain && sameGroup && input.isNative !== output.isNative;
  return {
    sameChain,
    sameCurrency: sameChain && input.address === output.address,
    sameGroup,
    wrapPair: wraps ? (input.isNative ? 'wrap' : 'unwrap') : null,
  };
}

function end(chain: ChainAdapter, currency: Currency): RouteEnd {
  const { chainId, address, symbol, decimals } = currency;
  return Object.freeze({
    chain,
    currency,
    view: currencyView(currency),
    side: Object.freeze({ chainId, currency: address, symbol, decimals }),
    extraData: chain.orderExtraData(),
  });
}

export function routeFee(policy: ServicePolicy, origin: number, destination: number): RouteFee {
  const match = policy.routeFees.find(
    (fee) => (fee.originChainId ?? origin) === origin && (fee.destinationChainId ?? destination) === destination,
  );
  if (!match) throw new Error('the last route fee must match every route');
  return match;
}
