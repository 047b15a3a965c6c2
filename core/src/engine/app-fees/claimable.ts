import { account } from '../../domain/accounts.js';
import type { FeeAccount } from '../../domain/fee-claim.js';
import type { EngineContext } from '../base/context.js';
import { bookedMovements } from '../books/inclusion.js';

/** Keys of one lane whose transactions are not final. */
const MOST_KEYS = 5_000;
const RECENT_MS = 2_000;
/** What accounts of app fees begin with. */
const APP_FEES = 'appFees:';

/** What fills earned that may still be undone, by account of the books. Undefined where there are too many of those to tell. */
type Unfinal = ReadonlyMap<string, bigint> | undefined;
type Place = Pick<FeeAccount, 'chainId' | 'wallet' | 'currency'>;

/**
 * What of the app fees of a wallet can be claimed, smallest unit: what is owed to it, less what fills earned that may still be
 * undone. Undefined where that cannot be told.
 *
 * Invariant: what it answers stays owed until a claim takes it. What is owed is read first, so a fill that is booked or becomes
 * final meanwhile makes the answer too low at worst.
 */
export async function claimableFees(
  { store }: Pick<EngineContext, 'store'>,
  place: Place,
): Promise<bigint | undefined> {
  const owed = await owedFees({ store }, place);
  return owed === 0n ? 0n : less(owed, await readUnfinal(store), place);
}

/**
 * The same for whoever only asks: all who ask within a moment share one reading of what is not final, so that asking costs next to
 * nothing. A claim is held against a reading of its own.
 */
export class ClaimableView {
  #read: { readonly at: number; readonly books: Promise<Books> } | undefined;

  async of({ store, clock }: Pick<EngineContext, 'store' | 'clock'>, place: Place): Promise<bigint | undefined> {
    const owed = await owedFees({ store }, place);
    if (owed === 0n) return 0n;
    const now = clock.monotonic();
    if (this.#read === undefined || now - this.#read.at >= RECENT_MS) {
      const read = { at: now, books: readBooks(store) };
      this.#read = read;
      read.books.catch(() => {
        if (this.#read === read) this.#read = undefined;
      });
    }
    const books = await this.#read.books;
    // What was booked since is in no reading of what is not final; what was claimed since is gone.
    const then = books.owed.get(account.appFees(place.chainId, place.wallet, place.currency)) ?? 0n;
    return less(then < owed ? then : owed, books.unfinal, place);
  }
}

interface Books {
  readonly owed: ReadonlyMap<string, bigint>;
  readonly unfinal: Unfinal;
}

async function readBooks(store: EngineContext['store']): Promise<Books> {
  const pots = await store.pots(APP_FEES);
  const owed = new Map(pots.map((pot) => [pot.account, -pot.amount]));
  return { owed, unfinal: await readUnfinal(store) };
}

async function owedFees({ store }: Pick<EngineContext, 'store'>, place: Place): Promise<bigint> {
  const owed = -(await store.pot(account.appFees(place.chainId, place.wallet, place.currency)));
  return owed > 0n ? owed : 0n;
}

function less(owed: bigint, unfinal: Unfinal, { chainId, wallet, currency }: Place): bigint | undefined {
  if (unfinal === undefined) return undefined;
  const left = owed - (unfinal.get(account.appFees(chainId, wallet, currency)) ?? 0n);
  return left > 0n ? left : 0n;
}

async function readUnfinal(store: EngineContext['store']): Promise<Unfinal> {
  const sums = new Map<string, bigint>();
  for (const lane of await store.lanes()) {
    const open = await store.openKeys(lane.chainId, lane.signer, MOST_KEYS);
    if (open.length === MOST_KEYS) return undefined;
    for (const { key } of open)
      for (const { originChainId, originCurrency, appFees = [] } of bookedMovements(key))
        for (const { recipient, amount } of appFees) {
          const name = account.appFees(originChainId, recipient, originCurrency);
          sums.set(name, (sums.get(name) ?? 0n) + BigInt(amount));
        }
  }
  return sums;
}
