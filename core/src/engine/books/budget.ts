import type { SponsorKey } from '../../capabilities/sponsorship/policy.js';
import type { LoadedSponsors } from '../../capabilities/sponsorship/sponsor-fill.js';
import type { Count } from '../../contract/store.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { account, counter } from '../../domain/accounts.js';
import { divide } from '../../domain/decimal.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { chainOf, type EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { earmarkOf, endEarmark } from './earmarks.js';
import { keptBack } from './kept-back.js';
import { wholeCovers } from './top-up-leg.js';

type Claim = { readonly ok: true } | { readonly ok: false; readonly reason: FailReason };

/**
 * Inventory and limits as one deciding change set sees them.
 *
 * Invariant (G12): claims are bounded counts in the change set that activates the fill: the store refuses the set
 * when another writer came first. Earlier counts of the set are included, or every retry would cross the same bound.
 */
export class Budget {
  readonly #totals: Map<string, bigint>;
  #keys: LoadedSponsors['keys'] = new Map();
  readonly #context: EngineContext;

  private constructor(context: EngineContext, totals: Map<string, bigint>) {
    this.#context = context;
    this.#totals = totals;
  }

  static async load(context: EngineContext): Promise<Budget> {
    // One day's volume only: pots exist for every day since the first.
    const today = counter.volume(context.clock.now());
    const prefixes = ['inventory:', '#reserved:', '#unfinal:', today];
    const pots = await Promise.all(prefixes.map((prefix) => context.store.pots(prefix)));
    return new Budget(context, new Map(pots.flat().map((pot) => [pot.account, pot.amount])));
  }

  /** Adds counters and keys that only some deciding change sets need. */
  admit({ totals, keys }: LoadedSponsors): void {
    for (const [name, amount] of totals) this.#totals.set(name, amount);
    this.#keys = keys;
  }

  sponsorKey(id: string): SponsorKey | undefined {
    return this.#keys.get(id);
  }

  /** As stored, with what the change set counted so far. */
  total(work: UnitOfWork, name: string): bigint {
    return (this.#totals.get(name) ?? 0n) + work.counted(name);
  }

  /** The lane's means without other legs' reservations, smallest unit. */
  meansOf({ chainId, signer, currency }: Pick<LegRow, 'chainId' | 'signer' | 'currency'>): bigint {
    const ledger = this.#totals.get(account.inventory(chainId, signer, currency)) ?? 0n;
    const shown = chainOf(this.#context, chainId).laneBalance(signer, currency)?.value ?? 0n;
    return (shown > ledger ? shown : ledger) - keptBack(this.#context, chainId, currency);
  }

  /**
   * Claims inventory, exposure and daily volume for a fill and its top-up; writes nothing when one is short. A claim
   * ends with the leg's row. The earmark becomes part of the claim.
   *
   * @param leg including what its top-up settles.
   */
  claim(
    work: UnitOfWork,
    leg: Pick<LegRow, 'chainId' | 'signer' | 'currency' | 'amount' | 'covers'>,
    deposit: DepositRow,
    extra?: Reserving,
  ): Claim {
    const { limits } = this.#context.policy;
    const reservation = this.#reservation(work, leg, earmarkOf(work, deposit.requestId));
    const other = extra && this.#besides(work, leg, extra);
    if (reservation === undefined || (extra && other === undefined))
      return { ok: false, reason: 'SOLVER_BALANCE_TOO_LOW' };
    const value = volumeOf(leg, deposit);
    const volume = counter.volume(this.#context.clock.now());
    if (limits.maxDailyMicroUsd !== null && this.total(work, volume) + value > limits.maxDailyMicroUsd) {
      return { ok: false, reason: 'SOLVER_CAPACITY_EXCEEDED' };
    }
    const unfinal = counter.unfinal(deposit.chainId, deposit.currency);
    const exposed = deposit.state === 'final' ? 0n : BigInt(deposit.valueUsd);
    const room = limits.maxUnfinalMicroUsd;
    if (exposed > 0n && room !== null && this.total(work, unfinal) + exposed > room) {
      return { ok: false, reason: 'SOLVER_CAPACITY_EXCEEDED' };
    }
    endEarmark(work, deposit.requestId, 'claimed');
    work.count(reservation);
    // guard: topup-reserved
    if (other !== undefined) work.count(other);
    work.count(bounded(volume, value, limits.maxDailyMicroUsd));
    work.count(bounded(unfinal, exposed, limits.maxUnfinalMicroUsd));
    return { ok: true };
  }

  /** In the fill's pot, the top-up takes what the fill leaves. */
  #besides(work: UnitOfWork, fill: Reserving, extra: Reserving): Omit<Count, 'op'> | undefined {
    const isSame = fill.currency === extra.currency && fill.signer === extra.signer;
    const whole = isSame ? { ...extra, amount: fill.amount + extra.amount } : extra;
    const reservation = this.#reservation(work, whole);
    return reservation && { ...reservation, by: extra.amount };
  }

  /**
   * For payouts that use no limit. False where inventory is short.
   *
   * @param left that must stay in addition to the gas reserve, smallest unit.
   */
  reserve(work: UnitOfWork, leg: Reserving, left = 0n): boolean {
    const reservation = this.#reservation(work, leg, undefined, left);
    if (reservation !== undefined) work.count(reservation);
    return reservation !== undefined;
  }

  /** @param kept earmark, released before the reservation is counted. */
  #reservation(work: UnitOfWork, leg: Reserving, kept?: Reserving, left = 0n): Omit<Count, 'op'> | undefined {
    const reserved = counter.reserved(leg.chainId, leg.signer, leg.currency);
    const own = kept && counter.reserved(kept.chainId, kept.signer, kept.currency) === reserved ? kept.amount : 0n;
    const inventory = account.inventory(leg.chainId, leg.signer, leg.currency);
    const keep = keptBack(this.#context, leg.chainId, leg.currency) + left;
    // guard: inventory-is-not-overpromised
    if (this.total(work, reserved) - own + leg.amount > this.total(work, inventory) - keep) return undefined;
    return { account: reserved, by: leg.amount, atMostPot: { account: inventory, keep } };
  }
}

type Reserving = Pick<LegRow, 'chainId' | 'signer' | 'currency' | 'amount'>;

function bounded(name: string, by: bigint, atMost: bigint | null): Omit<Count, 'op'> {
  return atMost === null ? { account: name, by } : { account: name, by, atMost };
}

/** Micro-USD of the settled part; an excess uses no volume. */
function volumeOf({ covers }: Pick<LegRow, 'covers'>, { valueUsd, amount }: DepositRow): bigint {
  return amount > covers ? divide(BigInt(valueUsd) * covers, amount, 'ceil') : BigInt(valueUsd);
}

/** The volume counts on the day of the claim. */
export function releaseVolume(work: UnitOfWork, leg: LegRow, deposit: DepositRow): void {
  if (leg.claimedAt === null) return;
  // guard: volume-returns
  work.count({ account: counter.volume(leg.claimedAt), by: -volumeOf(whole(work, leg), deposit) });
  work.update('legs', leg.id, { claimedAt: null });
}

/** Counts without a bound: a reorg revived an existing promise. */
export function reclaimVolume(context: EngineContext, work: UnitOfWork, leg: LegRow, deposit: DepositRow): void {
  const now = context.clock.now();
  work.count({ account: counter.volume(now), by: volumeOf(whole(work, leg), deposit) });
  work.update('legs', leg.id, { claimedAt: now });
}

export function moveVolume(work: UnitOfWork, leg: LegRow, from: DepositRow, to: DepositRow): void {
  if (leg.claimedAt === null) return;
  const all = whole(work, leg);
  work.count({ account: counter.volume(leg.claimedAt), by: volumeOf(all, to) - volumeOf(all, from) });
}

function whole(work: UnitOfWork, leg: LegRow): Pick<LegRow, 'covers'> {
  return { covers: wholeCovers(work, leg) };
}

export function releaseInventory(work: UnitOfWork, leg: LegRow): void {
  work.count({ account: counter.reserved(leg.chainId, leg.signer, leg.currency), by: -leg.amount, atLeast: 0n });
}

/** Reserves without a bound: a reorg revived an existing promise. */
export function reclaimInventory(work: UnitOfWork, leg: LegRow): void {
  work.count({ account: counter.reserved(leg.chainId, leg.signer, leg.currency), by: leg.amount });
}

/** Adds (1) or removes (-1) exposure. */
export function expose(work: UnitOfWork, deposit: DepositRow, sign: 1n | -1n): void {
  work.count({ account: counter.unfinal(deposit.chainId, deposit.currency), by: sign * BigInt(deposit.valueUsd) });
}

/** Its deposit counts as exposure until final. */
export function isClaimed(leg: LegRow): boolean {
  return leg.state === 'owed' || leg.state === 'bound' || leg.state === 'done' || leg.state === 'closed';
}
