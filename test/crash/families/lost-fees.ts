import type { ChainHistory } from '../../support/history.js';
import { isNative } from '../../support/oracle.js';

export interface Audit {
  readonly balanced: boolean;
  readonly unsettled: number;
  readonly sums: readonly { readonly sum: string }[];
  readonly pots: readonly { readonly account: string; readonly difference: string | null }[];
}

/**
 * Ignores fees paid by a depository account for sends that a restored ledger lost: they are missing until an operator
 * books them (core/docs/decisions/0074-depositories-that-are-accounts.md). Never more than all that it paid.
 */
export function balancesButForLostFees({ sums, pots }: Audit, histories: readonly ChainHistory[]): boolean {
  if (sums.some(({ sum }) => sum !== '0')) return false;
  return pots.every(({ account, difference }) => {
    if (difference === null) return false;
    const missing = -BigInt(difference);
    if (missing <= 0n) return missing === 0n;
    const [kind, id, token = ''] = account.split(':');
    const history = histories.find(({ chain }) => `${chain.id}` === id);
    if (kind !== 'depository' || !isNative(token)) return false;
    const paid = (history?.sent ?? []).flatMap(({ by, fee }) => (by === 'depository' ? [fee] : []));
    return missing <= paid.reduce((sum, fee) => sum + fee, 0n);
  });
}
