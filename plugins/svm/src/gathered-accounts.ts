import type { Provider } from '@causeway/core/rpc';
import { fetchAccounts, type ShownAccount } from './accounts.js';

interface Asked {
  readonly addresses: readonly string[];
  resolve(accounts: readonly (ShownAccount | undefined)[]): void;
  reject(error: unknown): void;
}

/** Maximum addresses per call. */
const MAX_ADDRESSES = 100;
const NO_DATA = { offset: 0, length: 0 } as const;

/** An idle instance queries at once; requests during a call share the next one. */
export class GatheredAccounts {
  readonly #waiting = new WeakMap<Provider['rpc'], Asked[]>();

  /** In the given order; undefined where missing. As new as the call. */
  ask({ rpc }: Provider, addresses: readonly string[]): Promise<readonly (ShownAccount | undefined)[]> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(rpc);
      const asked = { addresses, resolve, reject };
      if (waiting !== undefined) {
        waiting.push(asked);
        return;
      }
      this.#waiting.set(rpc, [asked]);
      void this.#run(rpc);
    });
  }

  /** Never rejects: each caller gets its own answer or error. */
  async #run(rpc: Provider['rpc']): Promise<void> {
    for (let some = this.#next(rpc); some.length > 0; some = this.#next(rpc)) {
      try {
        const accounts = await fetchAccounts(
          rpc,
          some.flatMap(({ addresses }) => addresses),
          NO_DATA,
        );
        let at = 0;
        for (const { addresses, resolve } of some) {
          resolve(accounts.slice(at, at + addresses.length));
          at += addresses.length;
        }
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    this.#waiting.delete(rpc);
  }

  #next(rpc: Provider['rpc']): readonly Asked[] {
    const waiting = this.#waiting.get(rpc) ?? [];
    let addresses = 0;
    const fits = waiting.findIndex((asked) => {
      addresses += asked.addresses.length;
      return addresses > MAX_ADDRESSES;
    });
    return waiting.splice(0, fits < 0 ? waiting.length : Math.max(1, fits));
  }
}
