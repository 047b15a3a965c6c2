import assert from 'node:assert/strict';
import type { DestinationCall } from '../../contract/chain-capabilities.js';
import type { SwapAnswer, SwapBuilt, SwapParties, SwapQuote, SwapWish } from '../../contract/liquidity.js';
import { MAX_UINT256 } from '../../domain/money.js';
import type { LiquidityHarness } from './liquidity-harness.js';

const WHYS = ['noRoute', 'tooMuch', 'unavailable'];

export function amountOf(wish: SwapWish, { amountIn, amountOut }: SwapQuote): bigint {
  return wish.kind === 'exactInput' ? amountOut : amountIn;
}

/** Asks and checks the shape of the answer. */
export async function ask(
  { source }: LiquidityHarness,
  wish: SwapWish,
  signal: AbortSignal = new AbortController().signal,
): Promise<SwapAnswer> {
  const answer = await source.quote(wish, signal);
  if (!answer.ok) {
    assert.ok(WHYS.includes(answer.why), `no reason is called ${answer.why}`);
    assert.notEqual(answer.message.trim(), '', 'a message');
    return answer;
  }
  assert.ok(answer.quotes.length > 0, 'an answer without quotes is a refusal');
  for (const quote of answer.quotes) judge(wish, quote);
  return answer;
}

function judge(wish: SwapWish, { amountIn, amountOut, route, work, height }: SwapQuote): void {
  const fixed = wish.kind === 'exactInput' ? amountIn : amountOut;
  assert.equal(fixed, wish.amount, 'the side that the wish fixes is as wished');
  for (const amount of [amountIn, amountOut]) assert.ok(amount > 0n && amount <= MAX_UINT256, `an amount of ${amount}`);
  assert.ok(route.length >= 2 && route[0] === wish.input && route.at(-1) === wish.output, `a way of ${route.join()}`);
  assert.equal(new Set(route).size, route.length, 'a way passes nothing twice');
  assert.ok(work > 0n, 'a swap is work');
  assert.ok(Number.isSafeInteger(height) && height >= 0, `a height of ${height}`);
}

export async function quoted(harness: LiquidityHarness, wish: SwapWish): Promise<SwapQuote> {
  const answer = await ask(harness, wish);
  assert.ok(answer.ok, answer.ok ? '' : `${wish.kind} of ${wish.amount}: ${answer.why}, ${answer.message}`);
  return answer.quotes[0] as SwapQuote;
}

export function partiesOf({ payer, recipient }: LiquidityHarness, limit: bigint): SwapParties {
  return { payer, recipient, limit };
}

export function built(
  { source }: LiquidityHarness,
  wish: SwapWish,
  quote: SwapQuote,
  parties: SwapParties,
  signal: AbortSignal = new AbortController().signal,
): Promise<SwapBuilt> {
  return source.build?.(wish, quote, parties, signal) ?? Promise.resolve({ ok: true, quote });
}

/** The calls of a quote, as a source's user gets them. */
export async function callsFor(
  harness: LiquidityHarness,
  wish: SwapWish,
  quote: SwapQuote,
  parties: SwapParties,
): Promise<readonly DestinationCall[]> {
  const made = await built(harness, wish, quote, parties);
  assert.ok(made.ok, made.ok ? '' : `${made.why}: ${made.message}`);
  judge(wish, made.quote);
  const calls = harness.source.calls(wish, made.quote, parties);
  assert.ok(calls.length > 0, 'a swap is made by calls');
  return calls;
}

/** Limit for the calls with 1 % tolerance. */
export function limitOf(wish: SwapWish, quote: SwapQuote): bigint {
  const amount = amountOf(wish, quote);
  return wish.kind === 'exactInput' ? amount - amount / 100n : amount + amount / 100n + 1n;
}

/** Whether work ends within `ms`, which passes meanwhile. */
export async function isOver(harness: LiquidityHarness, work: Promise<unknown>, ms: number): Promise<boolean> {
  let over = false;
  const done = (): void => {
    over = true;
  };
  void work.then(done, done);
  const step = Math.max(5, Math.floor(ms / 20));
  for (let waited = 0; waited <= ms && !over; waited += step) await harness.pass(step);
  return over;
}
