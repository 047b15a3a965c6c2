import type { UnixMs } from '../../contract/ids.js';
import { account } from '../../domain/accounts.js';
import type { FeeAccount } from '../../domain/fee-claim.js';
import type { EngineContext } from '../base/context.js';
import { bookedMovements } from '../books/inclusion.js';

const MAX_KEYS_READ = 5_000;
const CACHE_MS = 2_000;
const APP_FEES = 'appFees:';

/** Smallest unit. */
export interface FeeBalance {
  readonly claimable: bigint;
  /** From fills that are not final. */
  readonly pending: bigint;
  /** Latest time at which all of it is final, at the chain's usual pace; null when unknown. */
  readonly until: UnixMs | null;
}

export type FeePlace = Pick<FeeAccount, 'chainId' | 'wallet' | 'currency'>;

interface Pending {
  readonly amount: bigint;
  readonly until: UnixMs | null;
}

/** By account; undefined where there are too many keys to read. */
type Unfinal = ReadonlyMap<string, Pending> | undefined;
type Books = Pick<EngineContext, 'store' | 'chains'>;

const ZERO_BALANCE: FeeBalance = { claimable: 0n, pending: 0n, until: null };

/**
 * App fees less those that may still be undone; undefined where unknown.
 *
 * Invariant: the result stays owed until claimed. The balance is read first, so concurrent changes only make the
 * result too low.
 */
export async function claimableFees(books: Books, place: FeePlace): Promise<FeeBalance | undefined> {
  const owed = await owedFees(books, place);
  return owed === 0n ? ZERO_BALANCE : split(owed, owed, await readUnfinal(books), place);
}

/** For display: callers within `CACHE_MS` share one reading of non-final fees. A claim reads them itself. */
export class ClaimableView {
  #read: { readonly at: number; readonly books: Promise<Reading> } | undefined;

  async of(
    { store, chains, clock }: Books & Pick<EngineContext, 'clock'>,
    place: FeePlace,
  ): Promise<FeeBalance | undefined> {
    const owed = await owedFees({ store }, place);
    if (owed === 0n) return ZERO_BALANCE;
    const now = clock.monotonic();
    if (this.#read === undefined || now - this.#read.at >= CACHE_MS) {
      const read = { at: now, books: readBooks({ store, chains }) };
      this.#read = read;
      read.books.catch(() => {
        if (this.#read === read) this.#read = undefined;
      });
    }
    const books = await this.#read.books;
    // Fees booked since that reading count as pending; fees claimed since are excluded.
    const then = books.owed.get(account.appFees(place.chainId, place.wallet, place.currency)) ?? 0n;
    return split(owed, then < owed ? then : owed, books.unfinal, place);
  }
}

interface Reading {
  readonly owed: ReadonlyMap<string, bigint>;
  readonly unfinal: Unfinal;
}

async function readBooks(books: Books): Promise<Reading> {
  const pots = await books.store.pots(APP_FEES);
  const owed = new Map(pots.map((pot) => [pot.account, -pot.amount]));
  return { owed, unfinal: await readUnfinal(books) };
}

async function owedFees({ store }: Pick<Books, 'store'>, place: FeePlace): Promise<bigint> {
  const owed = -(await store.pot(account.appFees(place.chainId, place.wallet, place.currency)));
  return owed > 0n ? owed : 0n;
}

function split(owed: bigint, read: bigint, unfinal: Unfinal, place: FeePlace): FeeBalance | undefined {
  if (unfinal === undefined) return undefined;
  const { chainId, wallet, currency } = place;
  const { amount, until } = unfinal.get(account.appFees(chainId, wallet, currency)) ?? { amount: 0n, until: null };
  const claimable = read > amount ? read - amount : 0n;
  return { claimable, pending: owed - claimable, until: claimable === owed ? null : until };
}

async function readUnfinal({ store, chains }: Books): Promise<Unfinal> {
  const sums = new Map<string, Pending>();
  for (const lane of await store.lanes()) {
    const open = await store.openKeys(lane.chainId, lane.signer, MAX_KEYS_READ);
    if (open.length === MAX_KEYS_READ) return undefined;
    const finalityMs = chains.get(lane.chainId)?.facts.finalityMs;
    for (const { key, legs } of open)
      for (const { legId, originChainId, originCurrency, appFees = [] } of bookedMovements(key)) {
        const includedAt = legs.find(({ id }) => id === legId)?.includedAt ?? undefined;
        const until = includedAt === undefined || finalityMs === undefined ? null : includedAt + finalityMs;
        for (const { recipient, amount } of appFees) {
          const name = account.appFees(originChainId, recipient, originCurrency);
          const before = sums.get(name);
          sums.set(name, { amount: (before?.amount ?? 0n) + BigInt(amount), until: later(before, until) });
        }
      }
  }
  return sums;
}

function later(before: Pending | undefined, until: UnixMs | null): UnixMs | null {
  if (before === undefined) return until;
  return before.until === null || until === null ? null : Math.max(before.until, until);
}
