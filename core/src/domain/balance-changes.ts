import type { StateChange } from '../contract/transactions.js';

/** About 250 bytes each as JSON. Third parties can add changes without limit. */
const MAX_CHANGES = 2_000;

export class BalanceChanges {
  readonly #sums = new Map<string, Map<string, bigint>>();

  add(address: string, currency: string, amount: bigint): void {
    const held = this.#sums.get(address) ?? new Map<string, bigint>();
    held.set(currency, (held.get(currency) ?? 0n) + amount);
    this.#sums.set(address, held);
  }

  listed(isConfigured: (currency: string) => boolean): {
    readonly stateChanges: readonly StateChange[];
    readonly truncated?: true;
  } {
    const first: StateChange[] = [];
    const others: StateChange[] = [];
    let left = 0;
    for (const [address, held] of this.#sums) {
      for (const [tokenAddress, amount] of held) {
        if (amount === 0n) continue;
        const list = isConfigured(tokenAddress) ? first : others;
        if (list.length === MAX_CHANGES) left += 1;
        else list.push(changeOf(address, tokenAddress, amount));
      }
    }
    const stateChanges = [...first, ...others].slice(0, MAX_CHANGES);
    const all = left + first.length + others.length;
    return { stateChanges, ...(all > stateChanges.length ? { truncated: true } : {}) };
  }
}

function changeOf(address: string, tokenAddress: string, amount: bigint): StateChange {
  const data = { tokenKind: 'ft', tokenAddress } as const;
  return { address, change: { kind: 'token', balanceDiff: amount.toString(), data } };
}
