import { MAX_UINT256, type SwapParties, type SwapQuote, type SwapWish } from '@causeway/core';
import { NATIVE, type Place } from './settings.js';
import type { Values } from './shapes/fill-in.js';
import type { Shape } from './shapes/shape.js';

const BPS = 10_000n;
/** Aggregators refuse more, and no swap worth its gas needs it. */
const MAX_BPS = 5_000n;

/** Placeholders while the recipient is unknown. */
export function standIns(wish: SwapWish, place: Place, shape: Shape, standIn: string, slippageBps: number): Values {
  const limit = wish.kind === 'exactInput' ? 1n : MAX_UINT256;
  return values(wish, place, shape, { payer: standIn, recipient: standIn, limit }, BigInt(slippageBps));
}

export function valuesOf(
  wish: SwapWish,
  place: Place,
  shape: Shape,
  parties: SwapParties,
  quote: Pick<SwapQuote, 'amountIn' | 'amountOut'>,
): Values {
  return values(wish, place, shape, parties, toleranceOf(wish.kind, quote, parties.limit));
}

/** Distance between quote and limit, basis points, rounded so that the limit holds. */
export function toleranceOf(
  kind: SwapWish['kind'],
  { amountIn, amountOut }: Pick<SwapQuote, 'amountIn' | 'amountOut'>,
  limit: bigint,
): bigint {
  const [whole, room] = kind === 'exactInput' ? [amountOut, amountOut - limit] : [amountIn, limit - amountIn];
  if (room <= 0n) return 0n;
  const bps = (room * BPS) / whole;
  return bps < MAX_BPS ? bps : MAX_BPS;
}

function values(wish: SwapWish, place: Place, shape: Shape, parties: SwapParties, bps: bigint): Values {
  const written = (currency: string): string => (currency === NATIVE ? shape.native : currency);
  const decimals = (currency: string): string => String(place.decimals.get(currency) ?? '');
  const { payer, recipient, limit } = parties;
  return {
    ...{ chainId: String(place.id), chain: place.name, amount: String(wish.amount), limit: String(limit) },
    ...{ sellToken: written(wish.input), buyToken: written(wish.output) },
    ...{ sellDecimals: decimals(wish.input), buyDecimals: decimals(wish.output) },
    ...{ payer, recipient: shape.pays === 'payer' ? payer : recipient },
    ...{ slippageBps: String(bps), slippagePercent: `${bps / 100n}.${String(bps % 100n).padStart(2, '0')}` },
  };
}
