import type { Clock } from '../contract/clock.js';
import type { LiquiditySource, SwapAnswer, SwapQuote, SwapWish } from '../contract/liquidity.js';

/** A way to make a swap, and who knows it. */
export interface FoundSwap {
  readonly source: LiquiditySource;
  readonly wish: SwapWish;
  readonly quote: SwapQuote;
}

export type SwapSearch =
  /** The best outcome first, what its work costs taken into account. */
  { readonly ok: true; readonly found: readonly FoundSwap[] } | Extract<SwapAnswer, { ok: false }>;

interface Terms {
  /** What so much work costs, in the smallest unit of the side that the wish leaves open. */
  readonly costOf: (work: bigint) => bigint;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Longest that sources which have to ask somebody are waited for, milliseconds. */
  readonly patienceMs: number;
  /** For an order that was paid; see `LiquiditySource.quote`. */
  readonly isPaid?: true;
}

/** How much a refusal says: that there is no way is known for sure only where every source said so. */
const TELLS = ['noRoute', 'tooMuch', 'unavailable'] as const;

/**
 * Asks every source, all at once. A promise only where one of them has to ask somebody; one that does not answer in time is
 * left out. What a source throws counts as no answer.
 */
export function searchSwaps(
  sources: readonly LiquiditySource[],
  wish: SwapWish,
  terms: Terms,
): SwapSearch | Promise<SwapSearch> {
  const over = new AbortController();
  const answers = sources.map((source) => answerOf(source, wish, over.signal, terms.isPaid));
  if (answers.some((answer) => answer instanceof Promise)) return inTime(sources, wish, answers, terms, over);
  return best(sources, wish, answers as readonly SwapAnswer[], terms);
}

function answerOf(
  source: LiquiditySource,
  wish: SwapWish,
  signal: AbortSignal,
  isPaid: true | undefined,
): SwapAnswer | Promise<SwapAnswer> {
  try {
    const answer = source.quote(wish, signal, isPaid);
    return answer instanceof Promise ? answer.catch(() => NO_ANSWER) : answer;
  } catch {
    return NO_ANSWER;
  }
}

async function inTime(
  sources: readonly LiquiditySource[],
  wish: SwapWish,
  answers: readonly (SwapAnswer | Promise<SwapAnswer>)[],
  terms: Terms,
  over: AbortController,
): Promise<SwapSearch> {
  const late = terms.clock.sleep(terms.patienceMs, over.signal).then(() => NO_ANSWER);
  try {
    return best(sources, wish, await Promise.all(answers.map((answer) => Promise.race([answer, late]))), terms);
  } finally {
    over.abort('over');
  }
}

function best(
  sources: readonly LiquiditySource[],
  wish: SwapWish,
  answers: readonly SwapAnswer[],
  { costOf }: Terms,
): SwapSearch {
  const found = answers.flatMap((answer, index) => {
    const source = sources[index];
    return answer.ok && source ? answer.quotes.map((quote) => ({ source, wish, quote })) : [];
  });
  if (found.length > 0) {
    const gain = ({ quote: { amountIn, amountOut, work } }: FoundSwap) =>
      wish.kind === 'exactInput' ? amountOut - costOf(work) : -amountIn - costOf(work);
    const ranked = found.map((one) => ({ one, net: gain(one) }));
    ranked.sort((a, b) => (a.net === b.net ? 0 : a.net > b.net ? -1 : 1));
    return { ok: true, found: ranked.map(({ one }) => one) };
  }
  const refusals = answers.flatMap((answer) => (answer.ok ? [] : [answer]));
  refusals.sort((a, b) => TELLS.indexOf(b.why) - TELLS.indexOf(a.why));
  return refusals[0] ?? NO_SOURCE;
}

const NO_ANSWER: SwapAnswer = Object.freeze({ ok: false, why: 'unavailable', message: 'a source did not answer' });
const NO_SOURCE = Object.freeze({ ok: false, why: 'noRoute', message: 'no source of liquidity serves it' } as const);
