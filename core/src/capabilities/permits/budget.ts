import type { Clock } from '../../contract/clock.js';
import type { ChainId, RequestId, UnixMs } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import { type QuoteCaller, sharesOf } from '../../quoting/ask.js';

const DAY_MS = 86_400_000;
/** Entries of one caller; a caller with more waits for the oldest. */
const MAX_OPEN_OF_PAYER = 1;
const MAX_LOST_OF_PAYER = 3;
const MAX_LOST_OF_PARTY = 20;
const MAX_OPEN_OF_PARTY = 50;
const MAX_LOST_OF_CHAIN = 500;
const MAX_ENTRIES = 20_000;

interface Entry {
  readonly requestId: RequestId;
  readonly chainId: ChainId;
  readonly payer: string;
  /** With the wider networks. */
  readonly parties: readonly string[];
  readonly at: UnixMs;
  /** Its signature is valid; anyone's request can name any payer. */
  isSigned: boolean;
  /** Null: under way. */
  lost: boolean | null;
}

export interface PermitCaller extends Pick<QuoteCaller, 'party' | 'crowds'> {
  readonly requestId: RequestId;
  readonly chainId: ChainId;
  readonly payer: string;
}

/**
 * How many submissions a payer, a caller and a chain may have under way, and fail, in a day. A payer can move its tokens away after
 * the check, and then the service pays for a transaction that reverts. Counted per process.
 *
 * Invariants: judging and taking are one turn of the event loop, so parallel calls cannot exceed a limit. What its payer did not
 * sign counts for its caller alone, so strangers use up nothing of a payer.
 */
export class PermitBudget {
  readonly #deps: { readonly store: Pick<Store, 'requests'>; readonly clock: Pick<Clock, 'now'> };
  readonly #entries = new Map<RequestId, Entry>();

  constructor(deps: { readonly store: Pick<Store, 'requests'>; readonly clock: Pick<Clock, 'now'> }) {
    this.#deps = deps;
  }

  /** Why not; undefined: an entry was taken, which `drop` gives back where nothing is submitted. */
  async take(caller: PermitCaller): Promise<string | undefined> {
    const { payer, chainId, requestId } = caller;
    if (this.#refusal(caller) !== undefined) await this.#refresh(caller);
    const refusal = this.#refusal(caller);
    // guard: permit-budget
    if (refusal !== undefined) return refusal;
    const at = this.#deps.clock.now();
    const parties = sharesOf(caller).map(({ party }) => party);
    this.#entries.set(requestId, { requestId, chainId, payer, parties, at, isSigned: false, lost: null });
    return undefined;
  }

  /** Why an entry with a valid signature is not submitted; undefined: it counts for its payer from now on. */
  sign({ requestId, chainId, payer }: PermitCaller): string | undefined {
    const ofPayer = tally();
    for (const entry of this.#entries.values())
      if (entry.isSigned && entry.chainId === chainId && entry.payer === payer) add(ofPayer, entry);
    const refusal = beyondPayer(ofPayer, payer);
    // guard: permits-of-a-payer
    if (refusal !== undefined) return refusal;
    const entry = this.#entries.get(requestId);
    if (entry !== undefined) entry.isSigned = true;
    return undefined;
  }

  drop({ requestId }: Pick<PermitCaller, 'requestId'>): void {
    this.#entries.delete(requestId);
  }

  #refusal(caller: PermitCaller): string | undefined {
    const { payer, party, chainId, requestId } = caller;
    const [ofPayer, ofChain] = [tally(), tally()];
    const shares = sharesOf(caller).map((share) => ({ ...share, sum: tally() }));
    for (const entry of this.#entries.values()) {
      if (entry.requestId === requestId) return 'the same permit is being looked at';
      if (entry.chainId !== chainId) continue;
      add(ofChain, entry);
      if (entry.payer === payer && (entry.isSigned || entry.parties.includes(party))) add(ofPayer, entry);
      for (const share of shares) if (entry.parties.includes(share.party)) add(share.sum, entry);
    }
    const refusal = beyondPayer(ofPayer, payer);
    if (refusal !== undefined) return refusal;
    // guard: permits-of-a-crowd
    for (const { sum, times } of shares) {
      if (sum.open >= MAX_OPEN_OF_PARTY * times) return `${sum.open} deposits of your network or key are under way`;
      if (sum.lost >= MAX_LOST_OF_PARTY * times) return `${sum.lost} deposits of your network or key failed today`;
    }
    if (ofChain.lost >= MAX_LOST_OF_CHAIN || this.#entries.size >= MAX_ENTRIES)
      return 'too many deposits by permit failed today';
    return undefined;
  }

  /** Reads the results of those under way, and removes what is old or succeeded. */
  async #refresh({ chainId }: PermitCaller): Promise<void> {
    const dawn = this.#deps.clock.now() - DAY_MS;
    const open = [...this.#entries.values()].filter((entry) => entry.chainId === chainId && entry.lost === null);
    const rows = await this.#deps.store.requests(open.map(({ requestId }) => requestId));
    const known = new Map(rows.map((row) => [row.id, row]));
    for (const entry of open) {
      const row = known.get(entry.requestId);
      if (row === undefined || row.status === 'depositing') continue;
      if (row.status === 'failure' && row.fundingKey === null) entry.lost = true;
      else this.#entries.delete(entry.requestId);
    }
    for (const entry of this.#entries.values()) if (entry.at < dawn) this.#entries.delete(entry.requestId);
  }
}

interface Tally {
  open: number;
  lost: number;
}

function beyondPayer({ open, lost }: Tally, payer: string): string | undefined {
  if (open >= MAX_OPEN_OF_PAYER) return `another deposit of ${payer} is under way`;
  return lost >= MAX_LOST_OF_PAYER ? `${lost} deposits of ${payer} failed today` : undefined;
}

function tally(): Tally {
  return { open: 0, lost: 0 };
}

function add(sum: Tally, { lost }: Entry): void {
  if (lost === null) sum.open += 1;
  else if (lost) sum.lost += 1;
}
