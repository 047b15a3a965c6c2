import type { TransactionEntry } from '../contract/transactions.js';
import { cutJson } from './cut-json.js';

export const MAX_ENTRY_CHARACTERS = 16_384;
/** Share of each of `data` and `stateChanges` if they do not fit together. */
const MAX_PART_CHARACTERS = 7_680;

export interface Own {
  isConfigured(currency: string): boolean;
  readonly accounts: ReadonlySet<string>;
}

type Entry = TransactionEntry & { readonly feeUsd: string };

/**
 * Text of a transaction per request. If too long, changes are listed in this order and the rest sets `truncated`: the
 * request's parties in configured currencies, the service's accounts, anyone in configured currencies, the parties in
 * others.
 *
 * @returns at most `MAX_ENTRY_CHARACTERS` characters; parties in any case of letters.
 */
export function entryTexts(entry: Entry, own: Own): (parties: readonly string[]) => string {
  const whole = JSON.stringify(entry);
  // guard: bounded-entries
  if (whole.length <= MAX_ENTRY_CHARACTERS) return () => whole;
  const data = cutJson(entry.data, MAX_PART_CHARACTERS);
  const changes = (Array.isArray(entry.stateChanges) ? entry.stateChanges : []).map((change) => {
    const { address, currency } = placeOf(change);
    return { change, address, isConfigured: own.isConfigured(currency), isServiceAccount: own.accounts.has(address) };
  });
  return (parties) => {
    const named = new Set(parties.map((party) => party.toLowerCase()));
    const rank = ({ address, isConfigured, isServiceAccount }: (typeof changes)[number]) => {
      if (isConfigured) return named.has(address) ? 0 : isServiceAccount ? 1 : 2;
      return named.has(address) ? 3 : 4;
    };
    const ranked = [0, 1, 2, 3, 4].flatMap((wanted) => changes.filter((change) => rank(change) === wanted));
    const stateChanges = cutJson(
      ranked.map(({ change }) => change),
      MAX_PART_CHARACTERS,
    );
    return JSON.stringify({ ...entry, data, stateChanges, truncated: true });
  };
}

function placeOf(change: unknown): { readonly address: string; readonly currency: string } {
  const { address, change: of } = (change ?? {}) as {
    readonly address?: unknown;
    readonly change?: { readonly data?: { readonly tokenAddress?: unknown } };
  };
  return { address: String(address).toLowerCase(), currency: String(of?.data?.tokenAddress) };
}
