import type { KnownJetton } from '../jetton-book.js';

/** Nanotons that an order takes by itself: the wallet's work, with as many messages as it has, and its own code where it is new. */
export const ORDER_COST = 8_000_000n;
/** And each of its messages. */
export const MESSAGE_COST = 2_000_000n;

/** Most that an order with these messages can cost. `undefined`: coins. */
export function mostOf(jettons: readonly (KnownJetton | undefined)[]): bigint {
  return jettons.reduce((sum, jetton) => sum + MESSAGE_COST + (jetton?.attach ?? 0n), ORDER_COST);
}
