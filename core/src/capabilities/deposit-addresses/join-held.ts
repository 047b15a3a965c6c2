import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositRow, HoldRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { joinedOf, withJoined } from '../../domain/joined.js';
import { factsOf } from '../../domain/leg-facts.js';
import { holdPosting } from '../../domain/postings.js';
import type { WorkContext } from '../../engine/base/context.js';
import { inParallel } from '../../engine/base/in-parallel.js';
import { loadViews } from '../../engine/base/load.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { paidInAt } from '../../engine/books/paid-in.js';
import { refundAmount } from '../../engine/books/refund-amount.js';
import { doubtedUntil } from '../../engine/recovery/index.js';
import { hastenSweep } from './owe-sweep.js';
import { sweepGas } from './sweep-gas.js';
import { awaitsSweep } from './swept.js';

/** Reason of a leg that is held because its gas would take all of it. */
const TOO_LOW = 'AMOUNT_TOO_LOW_TO_REFUND';
/** Maximum number of held refunds that one refund includes, and of transfers in each of those. */
const MAX_JOINED = 16;
const READ_CONCURRENCY = 16;
const SWEPT_SOON_MS = 2_000;

interface Held {
  readonly deposit: DepositRow;
  readonly leg: LegRow;
  readonly hold: HoldRow;
}

/** Held transfers by address and currency. */
export type HeldTransfers = ReadonlyMap<string, readonly Held[]>;

const NONE: HeldTransfers = new Map();

type Place = Pick<DepositRow, 'depositAddress' | 'currency'>;

const nameOf = ({ depositAddress, currency }: Place): string => `${depositAddress} ${currency}`;

/**
 * Held transfers that refunds of these legs could include, the largest first, so that worthless ones exclude no other:
 * to the same addresses, held because each alone is worth less than the gas of its refund. Reads nothing where no leg
 * refunds a transfer to a deposit address.
 *
 * Invariant (G3, G15): excludes transfers that a lost part of the ledger may have refunded.
 */
export async function loadHeld(
  context: WorkContext,
  unit: UnitOfWork,
  chain: ChainAdapter,
  due: readonly LegRow[],
): Promise<HeldTransfers> {
  const addresses = new Set(due.flatMap((leg) => addressOf(unit, chain, leg) ?? []));
  if (addresses.size === 0) return NONE;
  const { store } = context;
  const deposits = new Map(
    (await store.depositsAt(chain.facts.id, [...addresses]))
      .filter(({ state, decision }) => state === 'final' && decision !== 'waiting')
      .map((row) => [row.fundingKey, row]),
  );
  const held = mostOfEach((await store.legsOfDeposits([...deposits.keys()])).filter(isHeldForGas), deposits);
  if (held.length === 0) return NONE;
  const until = await doubtedUntil(context);
  const holds = await inParallel(held, READ_CONCURRENCY, (leg) => store.hold(holdIdOf(leg)));
  const found = held.flatMap((leg, n): Held[] => {
    const [deposit, hold] = [deposits.get(leg.fundingKey ?? ''), holds[n]];
    if (deposit === undefined || hold?.state !== 'open') return [];
    return /* guard: joined-after-restore */ paidInAt(deposit) > until ? [{ deposit, leg, hold }] : [];
  });
  await loadViews(
    context,
    unit,
    found.map(({ deposit }) => deposit.requestId),
  );
  for (const { hold } of found) unit.load('holds', hold);
  const byPlace = new Map<string, Held[]>();
  for (const one of found) byPlace.set(nameOf(one.deposit), [...(byPlace.get(nameOf(one.deposit)) ?? []), one]);
  return byPlace;
}

/**
 * Whether a lost part of the ledger may have refunded a held transfer together with a later one: under the key of the
 * later one, which prevents no second refund.
 */
export async function mayBeJoined(context: WorkContext, leg: LegRow, deposit: DepositRow): Promise<boolean> {
  if (leg.reason !== TOO_LOW || deposit.depositAddress === null) return false;
  if (context.chains.get(deposit.chainId)?.capabilities.depositAddresses?.sweeps !== true) return false;
  return paidInAt(deposit) <= (await doubtedUntil(context));
}

function mostOfEach(held: readonly LegRow[], deposits: ReadonlyMap<string, Place>): readonly LegRow[] {
  const byPlace = new Map<string, LegRow[]>();
  for (const leg of held) {
    const deposit = deposits.get(leg.fundingKey ?? '');
    if (deposit === undefined) continue;
    byPlace.set(nameOf(deposit), [...(byPlace.get(nameOf(deposit)) ?? []), leg]);
  }
  return [...byPlace.values()].flatMap((own) => own.sort(byCovers).slice(0, MAX_JOINED));
}

function byCovers(one: LegRow, other: LegRow): number {
  return one.covers === other.covers ? 0 : one.covers > other.covers ? -1 : 1;
}

function addressOf(unit: UnitOfWork, { capabilities }: ChainAdapter, leg: LegRow): string | null {
  if (capabilities.depositAddresses?.sweeps !== true || !factsOf(leg).refundsPayer || leg.fundingKey === null)
    return null;
  return unit.get('deposits', leg.fundingKey)?.depositAddress ?? null;
}

/** Never signed and never paid, so that it cannot be paid twice. */
function isHeldForGas(leg: LegRow): boolean {
  const { state, reason, releasedBy } = leg;
  const fits = joinedOf(leg).transfers.length < MAX_JOINED && factsOf(leg).refundsPayer;
  return state === 'held' && reason === TOO_LOW && releasedBy === null && isUnsigned(leg) && fits;
}

/**
 * A signed payment may be executed by anyone while it is valid, with the signed amount. Its net amount stays on the
 * leg.
 */
function isUnsigned({ amount, covers, spent, reverts, closings }: LegRow): boolean {
  // guard: joined-unsigned
  return amount === covers && spent === 0n && reverts === 0 && closings === 0;
}

/** Id of the hold, as `holdLeg` makes it: with the version of the leg that it held. */
function holdIdOf({ id, version }: LegRow): HoldRow['id'] {
  return `hold:${id}:${version - 1}`;
}

interface Paying {
  readonly chain: ChainAdapter;
  readonly leg: LegRow;
  readonly request: RequestRow | undefined;
  readonly deposit: DepositRow | undefined;
}

/**
 * Adds held transfers to a later refund to the same recipient, if they are worth more than their sweeps and the sum
 * more than its gas. The sum is paid under the key of the later transfer; each transfer has its own sweep (G4).
 *
 * Invariants (G3): a transfer is joined at most once, by the change set that ends its hold and raises the refund; it is
 * never owed again. Neither refund was ever signed, because a signature is for the amount without the other. Not
 * covered: chains whose deposits are outputs, where each transfer stays on hold by itself.
 *
 * @returns whether the leg changed; then it is judged again.
 */
export function joinHeld(
  context: WorkContext,
  unit: UnitOfWork,
  { chain, leg, request, deposit }: Paying,
  held: HeldTransfers,
): boolean {
  if (deposit === undefined || request === undefined || leg.releasedBy !== null || !isUnsigned(leg)) return false;
  const worth = (held.get(nameOf(deposit)) ?? []).filter(
    (one) => fits(unit, leg, one) && isWorthIt(context, chain, one),
  );
  const swept = worth.filter((one) => !awaitsSweep(context, one.deposit));
  if (swept.length > 0 && pays(context, unit, leg, swept)) {
    join(context, unit, leg, request, swept);
    return true;
  }
  const alone = refundAmount(context, unit, leg);
  const waits =
    worth.length > swept.length && !alone.ok && alone.why === 'nothingLeft' && pays(context, unit, leg, worth);
  if (!waits) return false;
  for (const one of worth) if (awaitsSweep(context, one.deposit)) hastenSweep(context, unit, one.deposit);
  unit.update('legs', leg.id, { dueAt: context.clock.now() + SWEPT_SOON_MS });
  return true;
}

/** Still on hold: another refund of the same pass may have included it. */
function fits(unit: UnitOfWork, leg: LegRow, { leg: other, deposit }: Held): boolean {
  const now = unit.get('legs', other.id);
  // guard: joined-once
  if (now?.state !== 'held' || now.version !== other.version) return false;
  return deposit.fundingKey !== leg.fundingKey && other.recipient === leg.recipient;
}

function isWorthIt(context: WorkContext, chain: ChainAdapter, { leg: { currency, covers } }: Held): boolean {
  const cost = sweepGas(context, chain, currency);
  return cost?.ok === true && covers > cost.gas;
}

function pays(context: WorkContext, unit: UnitOfWork, leg: LegRow, others: readonly Held[]): boolean {
  const together = withJoined(
    leg,
    others.map((one) => one.leg),
  );
  return refundAmount(context, unit, together).ok;
}

function join(
  context: WorkContext,
  unit: UnitOfWork,
  leg: LegRow,
  { id: requestId }: RequestRow,
  others: readonly Held[],
): void {
  const { covers, amount, joined } = withJoined(
    leg,
    others.map((one) => one.leg),
  );
  unit.update('legs', leg.id, { covers, amount, joined });
  for (const { leg: other, hold, deposit } of others) {
    unit.update('legs', other.id, { state: 'joined', reason: leg.id });
    unit.update('holds', hold.id, { state: 'released' });
    const meta = { groupId: `release:${hold.id}`, requestId: deposit.requestId, legId: other.id };
    unit.post(holdPosting({ ...meta, createdAt: context.clock.now() }, hold.chainId, hold.currency, hold.amount, -1n));
    unit.update('requests', deposit.requestId, { details: `Refunded together with a later transfer: ${requestId}` });
    context.log.info({ leg: other.id, with: leg.id }, 'a held transfer is refunded with a later one');
  }
}
