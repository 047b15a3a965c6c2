import type { Count } from '../../contract/store.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { account, counter } from '../../domain/accounts.js';
import { divide } from '../../domain/decimal.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { chainOf, type EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { wholeCovers } from './beside.js';
import { endEarmark, keptFor } from './earmarks.js';
import { keptBack } from './kept-back.js';

type Claim = { readonly ok: true } | { readonly ok: false; readonly reason: FailReason };

/**
 * Inventory and limits as one deciding change set sees them.
 *
 * Invariants: (G12) every claim is written as bounded counts in the change set that activates the fill, so the store
 * refuses the whole set when another writer got there first. What the set itself counted before a claim is part of
 * the total, as it is for the store: a bound that only the store sees crossed would be crossed again at every try.
 */
export class Budget {
  readonly #totals: ReadonlyMap<string, bigint>;
  readonly #context: EngineContext;

  private constructor(context: EngineContext, totals: ReadonlyMap<string, bigint>) {
    this.#context = context;
    this.#totals = totals;
  }

  static async load(context: EngineContext): Promise<Budget> {
    // One day's volume is all that a claim asks for; a pot for every day since the first would be read at each decision.
    const today = counter.volume(context.clock.now());
    const prefixes = ['inventory:', '#reserved:', '#unfinal:', today];
    const pots = await Promise.all(prefixes.map((prefix) => context.store.pots(prefix)));
    return new Budget(context, new Map(pots.flat().map((pot) => [pot.account, pot.amount])));
  }

  #total(work: UnitOfWork, name: string): bigint {
    return (this.#totals.get(name) ?? 0n) + work.counted(name);
  }

  /** What a lane could pay out in a currency if no other leg had reserved anything, smallest unit. */
  meansOf({ chainId, signer, currency }: Pick<LegRow, 'chainId' | 'signer' | 'currency'>): bigint {
    const ledger = this.#totals.get(account.inventory(chainId, signer, currency)) ?? 0n;
    // What came in is on the chain before it is in the books.
    const shown = chainOf(this.#context, chainId).laneBalance(signer, currency)?.value ?? 0n;
    return (shown > ledger ? shown : ledger) - keptBack(this.#context, chainId, currency);
  }

  /**
   * Claims inventory, unfinal exposure and daily volume for a fill, and the inventory of what goes out beside it; writes nothing
   * when one of them is short. A claim ends with the row that ends its reason: the leg's own. What was kept for the fill's
   * request becomes part of the claim, and stays kept where the claim is refused.
   *
   * @param leg with all that it settles together with what goes beside it.
   */
  claim(
    work: UnitOfWork,
    leg: Pick<LegRow, 'chainId' | 'signer' | 'currency' | 'amount' | 'covers'>,
    deposit: DepositRow,
    beside?: Reserving,
  ): Claim {
    const { limits } = this.#context.policy;
    const reservation = this.#reservation(work, leg, keptFor(work, deposit.requestId));
    const other = beside && this.#besides(work, leg, beside);
    if (reservation === undefined || (beside && other === undefined))
      return { ok: false, reason: 'SOLVER_BALANCE_TOO_LOW' };
    const value = volumeOf(leg, deposit);
    const volume = counter.volume(this.#context.clock.now());
    if (limits.maxDailyMicroUsd !== null && this.#total(work, volume) + value > limits.maxDailyMicroUsd) {
      return { ok: false, reason: 'SOLVER_CAPACITY_EXCEEDED' };
    }
    const unfinal = counter.unfinal(deposit.chainId, deposit.currency);
    const exposed = deposit.state === 'final' ? 0n : BigInt(deposit.valueUsd);
    const room = limits.maxUnfinalMicroUsd;
    if (exposed > 0n && room !== null && this.#total(work, unfinal) + exposed > room) {
      return { ok: false, reason: 'SOLVER_CAPACITY_EXCEEDED' };
    }
    endEarmark(work, deposit.requestId, 'claimed');
    work.count(reservation);
    if (other !== undefined) work.count(other);
    work.count(bounded(volume, value, limits.maxDailyMicroUsd));
    work.count(bounded(unfinal, exposed, limits.maxUnfinalMicroUsd));
    return { ok: true };
  }

  /** Of the same pot, it takes what the fill leaves. */
  #besides(work: UnitOfWork, fill: Reserving, beside: Reserving): Omit<Count, 'op'> | undefined {
    const isSame = fill.currency === beside.currency && fill.signer === beside.signer;
    const whole = isSame ? { ...beside, amount: fill.amount + beside.amount } : beside;
    const reservation = this.#reservation(work, whole);
    return reservation && { ...reservation, by: beside.amount };
  }

  /** Claims inventory alone, for what is owed out of it and uses up no limit. False where there is too little. */
  reserve(work: UnitOfWork, leg: Reserving): boolean {
    const reservation = this.#reservation(work, leg);
    if (reservation !== undefined) work.count(reservation);
    return reservation !== undefined;
  }

  /** @param kept for this leg, and given back before the reservation is counted. */
  #reservation(work: UnitOfWork, leg: Reserving, kept?: Reserving): Omit<Count, 'op'> | undefined {
    const reserved = counter.reserved(leg.chainId, leg.signer, leg.currency);
    const own = kept && counter.reserved(kept.chainId, kept.signer, kept.currency) === reserved ? kept.amount : 0n;
    const inventory = account.inventory(leg.chainId, leg.signer, leg.currency);
    const keep = keptBack(this.#context, leg.chainId, leg.currency);
    if (this.#total(work, reserved) - own + leg.amount > this.#total(work, inventory) - keep) return undefined;
    return { account: reserved, by: leg.amount, atMostPot: { account: inventory, keep } };
  }
}

/** What is paid out of inventory. */
type Reserving = Pick<LegRow, 'chainId' | 'signer' | 'currency' | 'amount'>;

function bounded(name: string, by: bigint, atMost: bigint | null): Omit<Count, 'op'> {
  return atMost === null ? { account: name, by } : { account: name, by, atMost };
}

/**
 * What a fill takes of the day, micro-USD: the part of its deposit's value that it settles. What was paid on top goes back, and
 * uses up nothing of what others may ask for.
 */
function volumeOf({ covers }: Pick<LegRow, 'covers'>, { valueUsd, amount }: DepositRow): bigint {
  return amount > covers ? divide(BigInt(valueUsd) * covers, amount, 'ceil') : BigInt(valueUsd);
}

/** Gives back the volume of a fill that delivers nothing, on the day that it was claimed on. */
export function releaseVolume(work: UnitOfWork, leg: LegRow, deposit: DepositRow): void {
  if (leg.claimedAt === null) return;
  work.count({ account: counter.volume(leg.claimedAt), by: -volumeOf(whole(work, leg), deposit) });
  work.update('legs', leg.id, { claimedAt: null });
}

/** Takes it back without a bound: a reorg revived a promise that was already made. */
export function reclaimVolume(context: EngineContext, work: UnitOfWork, leg: LegRow, deposit: DepositRow): void {
  const now = context.clock.now();
  work.count({ account: counter.volume(now), by: volumeOf(whole(work, leg), deposit) });
  work.update('legs', leg.id, { claimedAt: now });
}

/** Another transfer pays for a fill that has claimed its volume. */
export function moveVolume(work: UnitOfWork, leg: LegRow, from: DepositRow, to: DepositRow): void {
  if (leg.claimedAt === null) return;
  const all = whole(work, leg);
  work.count({ account: counter.volume(leg.claimedAt), by: volumeOf(all, to) - volumeOf(all, from) });
}

function whole(work: UnitOfWork, leg: LegRow): Pick<LegRow, 'covers'> {
  return { covers: wholeCovers(work, leg) };
}

/** Gives back what a fill had reserved: it was included, or will never be. */
export function releaseInventory(work: UnitOfWork, leg: LegRow): void {
  work.count({ account: counter.reserved(leg.chainId, leg.signer, leg.currency), by: -leg.amount, atLeast: 0n });
}

/** Takes back a reservation without a bound: a reorg revived a promise that was already made. */
export function reclaimInventory(work: UnitOfWork, leg: LegRow): void {
  work.count({ account: counter.reserved(leg.chainId, leg.signer, leg.currency), by: leg.amount });
}

/** Adds (1) or removes (-1) a deposit's value from the unfinal exposure. */
export function expose(work: UnitOfWork, deposit: DepositRow, sign: 1n | -1n): void {
  work.count({ account: counter.unfinal(deposit.chainId, deposit.currency), by: sign * BigInt(deposit.valueUsd) });
}

/** A fill that was claimed and has not been given up: its deposit counts as exposure until final. */
export function isClaimed(leg: LegRow): boolean {
  return leg.state === 'owed' || leg.state === 'bound' || leg.state === 'done' || leg.state === 'closed';
}
