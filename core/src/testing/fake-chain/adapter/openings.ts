import type { Clock } from '../../../contract/clock.js';
import { hasAccount } from '../execution.js';
import type { FakeProvider } from '../fake-provider.js';

const BELIEVED_MS = 60_000;

interface Recipient {
  readonly currency: string;
  readonly owner: string;
}

/**
 * Which recipients have a token account, as one process knows it. Unknown counts as missing and is asked with the
 * next head.
 */
export class Openings {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #seen = new Map<string, number>();
  readonly #asked = new Map<string, Recipient>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** True unless the account existed recently. No I/O. */
  mustOpen(currency: string, owner: string): boolean {
    const key = keyOf({ currency, owner });
    const at = this.#seen.get(key);
    if (at !== undefined && this.#clock.monotonic() - at < BELIEVED_MS) return false;
    this.#asked.set(key, { currency, owner });
    return true;
  }

  learn(currency: string, owner: string, exists: boolean): void {
    const key = keyOf({ currency, owner });
    if (exists) this.#seen.set(key, this.#clock.monotonic());
    else this.#seen.delete(key);
  }

  ask(node: FakeProvider): readonly (Recipient & { readonly exists: boolean })[] {
    if (this.#asked.size === 0) return [];
    const state = node.core.after(node.head);
    return [...this.#asked.values()].map((one) => ({ ...one, exists: hasAccount(state, one.owner, one.currency) }));
  }

  answered(answers: ReturnType<Openings['ask']>): void {
    for (const { currency, owner, exists } of answers) {
      this.#asked.delete(keyOf({ currency, owner }));
      this.learn(currency, owner, exists);
    }
  }
}

function keyOf({ currency, owner }: Recipient): string {
  return `${currency}:${owner}`;
}
