import type { DestinationCall, SwapAnswer, SwapParties, SwapQuote, SwapWish } from '@causeway/core';
import { NATIVE } from '../addresses.js';
import type { Paths } from './paths.js';
import type { Pool } from './pool.js';
import { type Passage, through } from './through.js';
import type { Venue } from './venue.js';

export interface KnownPools {
  readonly pools: ReadonlyMap<string, Pool>;
  readonly paths: Paths;
  readonly height: number;
}

export interface RouterCalls {
  work(passage: Passage): bigint;
  calls(
    wish: SwapWish,
    passage: Passage,
    parties: SwapParties,
    ends: { readonly nativeIn: boolean; readonly nativeOut: boolean },
  ): readonly DestinationCall[];
}

const MAX_QUOTES = 4;

export class RouterVenue implements Venue {
  readonly #known: () => KnownPools | undefined;
  readonly #router: RouterCalls;
  readonly #wrapped: string;
  readonly #maxHops: number;

  constructor(known: () => KnownPools | undefined, router: RouterCalls, wrapped: string, maxHops: number) {
    this.#known = known;
    this.#router = router;
    this.#wrapped = wrapped;
    this.#maxHops = maxHops;
  }

  quote(wish: SwapWish): SwapAnswer {
    const known = this.#known();
    if (known === undefined)
      return { ok: false, why: 'unavailable', message: 'the state of its pools is not known now' };
    const [input, output] = [this.#token(wish.input), this.#token(wish.output)];
    const hops = Math.min(wish.maxHops ?? this.#maxHops, this.#maxHops);
    const ways = input === output ? [] : known.paths.between(input, output, hops);
    if (ways.length === 0) return { ok: false, why: 'noRoute', message: 'no pools lead from one to the other' };
    const passages = ways.flatMap((way) => {
      const pools = way.flatMap((address) => known.pools.get(address) ?? []);
      return (pools.length === way.length ? through(pools, input, wish) : undefined) ?? [];
    });
    if (passages.length === 0)
      return { ok: false, why: 'tooMuch', message: 'the pools on the route do not have enough liquidity' };
    const quotes = passages.map((passage) => this.#quoteOf(wish, passage, known.height));
    return { ok: true, quotes: bestOf(quotes, wish.kind) };
  }

  calls(wish: SwapWish, { plan }: SwapQuote, parties: SwapParties): readonly DestinationCall[] {
    const ends = { nativeIn: wish.input === NATIVE, nativeOut: wish.output === NATIVE };
    return this.#router.calls(wish, plan as Passage, parties, ends);
  }

  #token(currency: string): string {
    return currency === NATIVE ? this.#wrapped : currency;
  }

  #quoteOf(wish: SwapWish, passage: Passage, height: number): SwapQuote {
    const { amountIn, amountOut, tokens } = passage;
    const route = [wish.input, ...tokens.slice(1, -1), wish.output];
    return { amountIn, amountOut, route, work: this.#router.work(passage), height, plan: passage };
  }
}

/** Pareto-optimal in amount and work, the best amount first. */
function bestOf(quotes: readonly SwapQuote[], kind: SwapWish['kind']): readonly SwapQuote[] {
  const gain = ({ amountIn, amountOut }: SwapQuote) => (kind === 'exactInput' ? amountOut : -amountIn);
  const order = (a: SwapQuote, b: SwapQuote) => {
    const [x, y] = [gain(a), gain(b)];
    return x === y ? Number(a.work - b.work) : x > y ? -1 : 1;
  };
  const best: SwapQuote[] = [];
  for (const quote of [...quotes].sort(order)) if (best.every(({ work }) => quote.work < work)) best.push(quote);
  return best.slice(0, MAX_QUOTES);
}
