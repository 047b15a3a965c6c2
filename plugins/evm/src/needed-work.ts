import type { Clock, LegKind } from '@causeway/core';
import { Recent } from './recent.js';

const MAX_RECIPIENTS = 20_000;
const RECIPIENT_MS = 10 * 60_000;
const MAX_MOVEMENTS = 1_000;
const MOVEMENT_MS = 6 * 3_600_000;

/** Per finding. */
const MAX_GROWTH_FACTOR = 2n;

/**
 * Gas beyond the typical figure, buffer included, for pricing quotes.
 *
 * Invariant: a movement raises only its recipient's quotes, with or without code, since it may get code at any time.
 * The price for all rises only through the service's own trials (`OwnTrials`) and payments to the service, at most
 * twofold each time.
 */
export class NeededWork {
  readonly #recipients: Recent<bigint>;
  readonly #everybody: Recent<bigint>;

  constructor({ clock }: { readonly clock: Pick<Clock, 'monotonic'> }) {
    this.#recipients = new Recent(MAX_RECIPIENTS, RECIPIENT_MS, clock);
    this.#everybody = new Recent(MAX_MOVEMENTS, MOVEMENT_MS, clock);
  }

  of(kind: LegKind, currency: string, recipient?: string): bigint {
    const movement = movementOf(kind, currency);
    const everybody = this.#everybody.get(movement) ?? 0n;
    const own = recipient === undefined ? 0n : (this.#recipients.get(`${movement}:${recipient}`) ?? 0n);
    return own > everybody ? own : everybody;
  }

  found(kind: LegKind, currency: string, recipient: string, work: bigint): void {
    this.#recipients.set(`${movementOf(kind, currency)}:${recipient}`, work);
  }

  foundOfAll(kind: LegKind, currency: string, work: bigint, typical: bigint): void {
    const movement = movementOf(kind, currency);
    const before = this.#everybody.get(movement) ?? 0n;
    const most = MAX_GROWTH_FACTOR * (before > typical ? before : typical);
    this.#everybody.set(movement, /* guard: evm-price-by-own-trial */ work < most ? work : most);
  }
}

/** A refund and an excess are the same withdrawal. */
export function movementOf(kind: LegKind, currency: string): string {
  return `${kind === 'excess' ? 'refund' : kind}:${currency}`;
}
