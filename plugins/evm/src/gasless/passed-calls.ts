import type { Clock, Hex } from '@causeway/core';
import { Recent } from '../recent.js';

interface Tried {
  readonly to: string;
  readonly data: string;
  readonly work: bigint;
}

const MAX_CACHED = 1_000;
const CACHE_MS = 5_000;
/** Of calldata: a thousand of these are a few MiB. */
const MAX_CHARACTERS = 4_096;

/**
 * Calls without authorizations that passed their trial, by the head at which they did: at the same head the same trial
 * is not made twice. Heads are compared by hash: a reorg has another state at the same height.
 *
 * Not guaranteed: that a pending transaction does not change what the call does. No trial covers that.
 */
export class PassedCalls {
  readonly #head: () => Hex | undefined;
  readonly #passed: Recent<Hex>;

  constructor(clock: Pick<Clock, 'monotonic'>, head: () => Hex | undefined) {
    this.#head = head;
    this.#passed = new Recent(MAX_CACHED, CACHE_MS, clock);
  }

  get head(): Hex | undefined {
    return this.#head();
  }

  /** @param head before the trial began. */
  note(head: Hex | undefined, signer: string, call: Tried): void {
    if (head === undefined || call.data.length > MAX_CHARACTERS) return;
    this.#passed.set(keyOf(signer, call), head);
  }

  has(signer: string, call: Tried): boolean {
    const head = this.#passed.get(keyOf(signer, call));
    if (head === undefined) return false;
    // guard: evm-trial-of-this-head
    return head === this.#head();
  }
}

function keyOf(signer: string, { to, data, work }: Tried): string {
  return `${signer} ${to} ${work} ${data}`;
}
