import type {
  ChainId,
  DestinationCall,
  ExactJson,
  LiquiditySource,
  SwapAnswer,
  SwapBuilt,
  SwapParties,
  SwapQuote,
  SwapWish,
} from '@causeway/core';
import { MAX_UINT256 } from '@causeway/core';
import { Aggregator, type Services } from './asking/aggregator.js';
import { Shared } from './asking/shared.js';
import { type Built, callsOf } from './calls.js';
import { checked } from './guard.js';
import { NATIVE, type Place, type Settings } from './settings.js';
import { namesIn } from './shapes/fill-in.js';
import type { Reported } from './shapes/read-answer.js';
import type { Ask, Way } from './shapes/shape.js';
import { standIns, valuesOf } from './values.js';

interface Plan {
  readonly reported: Reported;
  readonly document: ExactJson;
  readonly built?: Built;
}

const MAX_CACHED_QUOTES = 1_000;
/** Gas of an approval and its revocation. */
const APPROVALS = 55_000n;
/** Reported values outside are ignored; the simulation measures them. */
const GAS = { least: 21_000n, most: 30_000_000n } as const;
const STRANGE = 'strange-answer';
/** Without these an answer lacks the amounts or the call. */
const NEEDS = {
  exactInput: { quote: ['amountOut'], build: ['amountOut', 'data'] },
  exactOutput: { quote: ['amountIn'], build: ['amountIn', 'data'] },
} as const;
const DECIMALS = ['sellDecimals', 'buyDecimals'];

/** The aggregator's answers are never trusted. */
export class AggregatorSource implements LiquiditySource {
  readonly id: string;
  readonly isMeasured = true;
  readonly #settings: Settings;
  readonly #services: Services;
  readonly #aggregator: Aggregator;
  readonly #shared: Shared<SwapAnswer>;

  constructor(id: string, settings: Settings, services: Services) {
    this.id = id;
    this.#settings = settings;
    this.#services = services;
    this.#aggregator = new Aggregator(settings, services);
    this.#shared = new Shared(settings.keepMs, MAX_CACHED_QUOTES, services.clock);
  }

  supports(chainId: ChainId): boolean {
    return this.#settings.places.has(chainId);
  }

  async quote(wish: SwapWish, signal: AbortSignal, isPaid = false): Promise<SwapAnswer> {
    const { way, place, refusal } = this.#wayOf(wish);
    if (refusal !== undefined) return { ok: false, why: 'noRoute', message: refusal };
    const key = [wish.chainId, wish.input, wish.output, wish.kind, wish.amount, isPaid].join();
    const isKept = (answer: SwapAnswer): boolean => answer.ok || answer.why !== 'unavailable';
    const answer = await this.#shared.of(
      key,
      (own) => this.#ask(wish, way, place, { isPaid, signal: own }),
      isKept,
      signal,
    );
    return answer ?? { ok: false, why: 'unavailable', message: 'no caller waits for it any more' };
  }

  async build(
    wish: SwapWish,
    quote: SwapQuote,
    parties: SwapParties,
    signal: AbortSignal,
    isPaid = false,
  ): Promise<SwapBuilt> {
    const { way, place, refusal } = this.#wayOf(wish);
    if (refusal !== undefined) return { ok: false, why: 'moved', message: refusal };
    const before = quote.plan as Plan;
    const values = valuesOf(wish, place, this.#settings.shape, parties, quote);
    // Fields that the answer does not repeat are as quoted.
    const known: Reported = way.build ? before.reported : {};
    const needs = NEEDS[wish.kind].build.filter((name) => known[name] === undefined);
    const asking = { isPaid, signal };
    const heard = await this.#aggregator.ask('build', way.build ?? way.quote, needs, values, before.document, asking);
    if (!heard.ok) return { ok: false, why: heard.is === 'none' ? 'moved' : 'unavailable', message: heard.message };
    const reported = { ...known, ...heard.reported };
    const found = checked(reported, wish, parties, place, this.#settings.maxCallBytes);
    if (!found.ok) return this.#refused(found.is, found.why);
    this.#services.alerts.clear(STRANGE);
    const { amountIn, amountOut } = found;
    const built: Built = { ...found.built, paysPayer: this.#settings.shape.pays === 'payer' };
    const plan: Plan = { reported, document: before.document, built };
    return { ok: true, quote: { ...this.#quoteOf(wish, reported, amountIn, amountOut), plan } };
  }

  calls(wish: SwapWish, quote: SwapQuote, parties: SwapParties): readonly DestinationCall[] {
    const { built } = quote.plan as Plan;
    const mine = built?.parties;
    if (
      built === undefined ||
      mine?.payer !== parties.payer ||
      mine.recipient !== parties.recipient ||
      mine.limit !== parties.limit
    )
      throw new Error(`${this.id}: these calls were not built for these parties`);
    return callsOf(wish, built);
  }

  stop(): void {
    this.#aggregator.stop();
  }

  async #ask(
    wish: SwapWish,
    { quote, build }: Way,
    place: Place,
    asking: { readonly isPaid: boolean; readonly signal: AbortSignal },
  ): Promise<SwapAnswer> {
    const { shape, standIn, slippageBps } = this.#settings;
    const values = standIns(wish, place, shape, standIn, slippageBps);
    const { quote: needs } = NEEDS[wish.kind];
    const heard = await this.#aggregator.ask('quote', quote, needs, values, undefined, asking);
    if (!heard.ok) return { ok: false, why: heard.is === 'none' ? 'noRoute' : 'unavailable', message: heard.message };
    const { reported } = heard;
    const [fixed, other] =
      wish.kind === 'exactInput' ? [reported.amountIn, reported.amountOut] : [reported.amountOut, reported.amountIn];
    if (other === undefined) return { ok: false, why: 'unavailable', message: 'it does not state an output' };
    if (other === 0n) return { ok: false, why: 'noRoute', message: 'the amount is worth less than the smallest unit' };
    if (fixed !== undefined && (wish.kind === 'exactInput' ? fixed !== wish.amount : fixed < wish.amount))
      return { ok: false, why: 'noRoute', message: 'it quotes another amount than was asked for' };
    const [amountIn, amountOut] = wish.kind === 'exactInput' ? [wish.amount, other] : [other, wish.amount];
    const plan: Plan = { reported, document: build?.body === undefined ? undefined : heard.document };
    return { ok: true, quotes: [{ ...this.#quoteOf(wish, reported, amountIn, amountOut), plan }] };
  }

  #quoteOf({ input, output }: SwapWish, { gas, height = 0 }: Reported, amountIn: bigint, amountOut: bigint) {
    const own = gas !== undefined && gas >= GAS.least && gas <= GAS.most ? gas : BigInt(this.#settings.work);
    const work = own + (input === NATIVE ? 0n : APPROVALS);
    return { amountIn, amountOut, route: [input, output], work, height };
  }

  /** Not a failure: an odd swap of one client must not close the aggregator to others. */
  #refused(is: 'moved' | 'strange', why: string): SwapBuilt {
    const { metrics, alerts, log } = this.#services;
    metrics.count('refused_answers', 'Calls of the aggregator that are not made', { is });
    if (is === 'moved') return { ok: false, why: 'moved', message: why };
    log.warn({ why }, 'an answer of the aggregator is refused');
    alerts.raise(STRANGE, `an answer of the aggregator is refused: ${why}`);
    return { ok: false, why: 'unavailable', message: 'it asks for what is not allowed to it' };
  }

  #wayOf(wish: SwapWish): Asking {
    const { places, shape, hops } = this.#settings;
    const place = places.get(wish.chainId);
    if (place === undefined) throw new Error(`${this.id} has no chain ${wish.chainId}`);
    const way = shape[wish.kind];
    const none = (refusal: string): Asking => ({ refusal, place, way: undefined });
    if (way === undefined) return none(`it knows no ${wish.kind === 'exactInput' ? 'exact inputs' : 'exact outputs'}`);
    if (wish.input === wish.output) return none('there is nothing to exchange');
    if (wish.amount <= 0n || wish.amount > MAX_UINT256) return none('the amount is none that a chain can express');
    if (wish.maxHops !== undefined && wish.maxHops < hops) return none('how many pools it passes is not known');
    const isAsked = (ask: Ask | undefined) => DECIMALS.some((name) => ask && namesIn(ask.path, ask.body).has(name));
    const known = [wish.input, wish.output].every((token) => place.decimals.has(token));
    if (!known && [way.quote, way.build].some(isAsked)) return none('decimals of a token are not configured for it');
    return { way, place, refusal: undefined };
  }
}

type Asking =
  | { readonly way: Way; readonly place: Place; readonly refusal: undefined }
  | { readonly way: undefined; readonly place: Place; readonly refusal: string };
