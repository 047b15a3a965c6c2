import type { TransactionEntry } from '../contract/transactions.js';
import { cutJson } from './cut-json.js';

/** Most that is kept of a transaction for one request, in characters. */
export const MOST_ENTRY = 16_384;
/** Of these for each of `data` and `stateChanges`, where not all of it fits. */
const MOST_OF_PART = 7_680;

export interface Own {
  /** A currency of the config. */
  isConfigured(currency: string): boolean;
  /** Accounts of the service, in lower case. */
  readonly accounts: ReadonlySet<string>;
}

type Entry = TransactionEntry & { readonly feeUsd: string };

/**
 * What is kept of a transaction, for each request that it belongs to. Where it is too much, changes come first of the request's parties
 * in currencies of the config, then of the service's accounts, then of anybody in these currencies, then of the parties in any
 * others; what does not fit is left out, and `truncated` says so.
 *
 * @returns for the parties of a request, in any case of letters, the text of the entry, at most `MOST_ENTRY` long.
 */
export function entryTexts(entry: Entry, own: Own): (parties: readonly string[]) => string {
  const whole = JSON.stringify(entry);
  if (whole.length <= MOST_ENTRY) return () => whole;
  const data = cutJson(entry.data, MOST_OF_PART);
  const changes = (Array.isArray(entry.stateChanges) ? entry.stateChanges : []).map((change) => {
    const { address, currency } = placeOf(change);
    return { change, address, isConfigured: own.isConfigured(currency), isOwn: own.accounts.has(address) };
  });
  return (parties) => {
    const named = new Set(parties.map((party) => party.toLowerCase()));
    const rank = ({ address, isConfigured, isOwn }: (typeof changes)[number]) => {
      if (isConfigured) return named.has(address) ? 0 : isOwn ? 1 : 2;
      return named.has(address) ? 3 : 4;
    };
    const ranked = [0, 1, 2, 3, 4].flatMap((wanted) => changes.filter((change) => rank(change) === wanted));
    const stateChanges = cutJson(
      ranked.map(({ change }) => change),
      MOST_OF_PART,
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
