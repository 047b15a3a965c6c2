import type { SwapParties, SwapWish } from '@causeway/core';
import type { Built } from './calls.js';
import { NATIVE, type Place } from './settings.js';
import type { Reported } from './shapes/read-answer.js';

export type Checked =
  | {
      readonly ok: true;
      readonly built: Omit<Built, 'paysPayer'>;
      readonly amountIn: bigint;
      readonly amountOut: bigint;
    }
  /** `moved`: another price. `strange`: something that is not allowed. */
  | { readonly ok: false; readonly is: 'moved' | 'strange'; readonly why: string };

const SELECTOR = 10;
const ADDRESS = /^0x[0-9a-f]{40}$/;

/**
 * Whether an aggregator's answer may be called at all.
 *
 * Invariant: an accepted call targets a listed contract that is none of the parties or currencies, sends no coin but
 * the input, and approves only a listed contract, for the input alone.
 *
 * Not guaranteed: that it does what it says. A simulation on the chain measures that.
 */
export function checked(
  reported: Reported,
  wish: SwapWish,
  parties: SwapParties,
  place: Place,
  maxCallBytes: number,
): Checked {
  const strange = (why: string): Checked => ({ ok: false, is: 'strange', why });
  const amounts = amountsOf(reported, wish, parties);
  if (!amounts.ok) return amounts;
  const { to, data, value = wish.input === NATIVE ? amounts.amountIn : 0n } = reported;
  if (to === undefined || data === undefined) return strange('it has no call');
  // guard: aggregator-targets
  if (!place.targets.has(to)) return strange(`it calls ${to}, which is not listed`);
  const { payer, recipient } = parties;
  if (![payer, recipient].every((party) => ADDRESS.test(party))) throw new TypeError('a party is no canonical address');
  const own = new Set([payer, recipient, wish.input, wish.output]);
  if (own.has(to)) return strange(`it calls ${to}, which the swap is about`);
  const bytes = data.length / 2 - 1;
  if (bytes < 4 || bytes > maxCallBytes) return strange(`its call has ${bytes} bytes of data`);
  if (place.selectors?.has(data.slice(0, SELECTOR)) === false)
    return strange(`it calls the function ${data.slice(0, SELECTOR)}, which is not listed`);
  const call = { to, data, value, parties };
  if (wish.input === NATIVE) {
    const most = wish.kind === 'exactInput' ? wish.amount : parties.limit;
    if (value < amounts.amountIn || value > most)
      return strange(`it takes ${value} of native coin for ${amounts.amountIn}`);
    return { ...amounts, built: { ...call, spender: undefined } };
  }
  if (value !== 0n) return strange(`it takes ${value} of native coin in addition to a token`);
  const [only, second] = place.spenders;
  const spender = reported.spender ?? (second === undefined ? only : undefined);
  if (spender === undefined) return strange('it names no spender to approve, and several are listed');
  // guard: aggregator-spenders
  if (!place.spenders.has(spender)) return strange(`it wants ${spender} approved, which is not listed`);
  if (own.has(spender)) return strange(`it wants ${spender} approved, which the swap is about`);
  return { ...amounts, built: { ...call, spender } };
}

type Amounts = { readonly ok: true; readonly amountIn: bigint; readonly amountOut: bigint };

function amountsOf(
  { amountIn, amountOut }: Reported,
  { kind, amount }: SwapWish,
  { limit }: SwapParties,
): Amounts | Checked {
  const moved = (why: string): Checked => ({ ok: false, is: 'moved', why });
  if (kind === 'exactInput') {
    if (amountIn !== undefined && amountIn !== amount) return moved('it takes another amount than was asked for');
    if (amountOut === undefined || amountOut < limit || amountOut === 0n) return moved('it gives less than the limit');
    return { ok: true, amountIn: amount, amountOut };
  }
  if (amountOut !== undefined && amountOut < amount) return moved('it gives less than was asked for');
  if (amountIn === undefined || amountIn > limit || amountIn === 0n) return moved('it takes more than the limit');
  return { ok: true, amountIn, amountOut: amount };
}
