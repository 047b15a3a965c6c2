import type { ChainId } from '../../contract/ids.js';
import type { ShownRequest } from '../../contract/store.js';
import type { LegRow, TransactionRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';

/** Amount refunded of a deposit, smallest unit of `currency`. */
export interface Refunded {
  readonly chainId: ChainId;
  readonly currency: string;
  /** What arrived: less than what left the depository for tokens with a transfer fee. */
  readonly amount: bigint;
  /** What was withheld from the deposit, as for gas. */
  readonly kept: bigint;
}

/** Null if no refund or excess leg is on the chain. Refunds still owed do not count. */
export function refundedOf({ legs, transactions }: ShownRequest): Refunded | null {
  const paid = legs.filter((leg) => factsOf(leg).refundsPayer && isOnChain(leg));
  const [first] = paid;
  if (first === undefined) return null;
  const { chainId, currency } = first;
  let amount = 0n;
  let kept = 0n;
  for (const leg of paid) {
    if (leg.chainId !== chainId || leg.currency !== currency) continue;
    amount += arrived(leg, transactions);
    kept += leg.covers - leg.amount;
  }
  return { chainId, currency, amount, kept };
}

function isOnChain({ state, includedAt }: LegRow): boolean {
  return state === 'done' || (state === 'bound' && includedAt !== null);
}

/**
 * The recipient's gain by the transaction once it is described; until then what left the depository. The gain is not
 * used if the transaction pays the recipient more than this leg.
 */
function arrived(leg: LegRow, transactions: readonly TransactionRow[]): bigint {
  const row = transactions.find(({ id }) => id === `${leg.requestId}:refund:${leg.id}`);
  const gain = row === undefined || row.entry === null ? undefined : gained(row.entry, leg);
  return gain !== undefined && gain > 0n && gain < leg.amount ? gain : leg.amount;
}

function gained(entry: string, { recipient, currency }: LegRow): bigint | undefined {
  const { stateChanges } = JSON.parse(entry) as { readonly stateChanges?: unknown };
  if (!Array.isArray(stateChanges)) return undefined;
  const changes = stateChanges as readonly {
    readonly address?: string;
    readonly change?: { readonly balanceDiff?: string; readonly data?: { readonly tokenAddress?: string } };
  }[];
  const own = changes.find(
    ({ address, change }) => isSame(address, recipient) && isSame(change?.data?.tokenAddress, currency),
  );
  const diff = own?.change?.balanceDiff;
  return diff !== undefined && /^\d+$/.test(diff) ? BigInt(diff) : undefined;
}

/** Entries may spell addresses in any case on chains with case-insensitive addresses. */
function isSame(one: string | undefined, other: string): boolean {
  return one !== undefined && one.toLowerCase() === other.toLowerCase();
}
