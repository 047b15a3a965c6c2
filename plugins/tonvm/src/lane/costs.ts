import type { KnownJetton } from '../jetton-book.js';

/** Nanotons per order: the wallet's work with any number of messages, and its deployment where it is new. */
export const ORDER_COST = 8_000_000n;
/** Nanotons per message. */
export const MESSAGE_COST = 2_000_000n;

export function mostOf(jettons: readonly (KnownJetton | undefined)[]): bigint {
  return jettons.reduce((sum, jetton) => sum + MESSAGE_COST + (jetton?.attach ?? 0n), ORDER_COST);
}
