import type { Clock } from '../contract/clock.js';
import type { LiquiditySource, SwapAnswer, SwapQuote, SwapWish } from '../contract/liquidity.js';

/** A possible swap and its source. */
export interface FoundSwap {
  readonly source: LiquiditySource;
  readonly wish: SwapWish;
  readonly quote: SwapQuote;
}

export type SwapSearch =
  /** Best outcome first, net of the cost of its work. */
  { readonly ok: true; readonly found: readonly FoundSwap[] } | Extract<SwapAnswer, { ok: false }>;

interface Terms {
  /** Cost of an amount of work, in the smallest unit of the side that the wish leaves open. */
  readonly costOf: (work: bigint) => bigint;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Longest wait for sources that make remote requests, milliseconds. */
  readonly patienceMs: number;
  /** For a paid order; see `LiquiditySource.quote`. */
  readonly isPaid?: true;
}

/** Refusals by rank, lowest first: `noRoute` is the result only where every source says so. */
const REPORTS = ['noRoute', 'tooMuch', 'unavailable'] as const;

/**
 * Asks all sources at once. Returns a promise only where a source makes a remote request; a source that is late is
 * left out, and one that throws counts as no answer.
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
  refusals.sort((a, b) => REPORTS.indexOf(b.why) - REPORTS.indexOf(a.why));
  return refusals[0] ?? NO_SOURCE;
}

const NO_ANSWER: SwapAnswer = Object.freeze({ ok: false, why: 'unavailable', message: 'a source did not answer' });
const NO_SOURCE = Object.freeze({ ok: false, why: 'noRoute', message: 'no source of liquidity serves it' } as const);
