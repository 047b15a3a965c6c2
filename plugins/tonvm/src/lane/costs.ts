import type { LegKind } from '@causeway/core';
import type { KnownJetton } from '../jetton-book.js';

/** Nanotons per order: the wallet's work with any number of messages, and its deployment where it is new. */
export const ORDER_COST = 8_000_000n;
/** Nanotons per message. */
export const MESSAGE_COST = 2_000_000n;
/** Nanotons per sweep: forwarding of a deposit address's code, its work and its two messages. */
export const SWEEP_COST = 6_000_000n;
/** Nanotons attached to a sweep for the same, of which the rest returns. */
export const SWEEP_ATTACH = 10_000_000n;

export interface Costs {
  readonly kind: LegKind;
  readonly jetton: KnownJetton | undefined;
  /** Nanotons that a sweep adds to what its address holds. */
  readonly more?: bigint;
}

/** Maximum nanotons that an order may take from its wallet, without the coins that it pays. */
export function mostOf(legs: readonly Costs[]): bigint {
  return legs.reduce((sum, leg) => sum + MESSAGE_COST + attachedTo(leg), ORDER_COST);
}

/** Nanotons attached to a leg's message in addition to the coins that it pays. */
export function attachedTo({ kind, jetton, more = 0n }: Costs): bigint {
  return (jetton?.attach ?? 0n) + (kind === 'sweep' ? SWEEP_ATTACH + more : 0n);
}

/** Nanotons charged for a leg alone in its order. */
export function chargedFor(kind: LegKind, jetton: KnownJetton | undefined): bigint {
  return kind === 'sweep' ? ORDER_COST + SWEEP_COST + (jetton?.attach ?? 0n) : mostOf([{ kind, jetton }]);
}
