import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { Change, Store } from '../../contract/store.js';
import { counter } from '../../domain/accounts.js';
import { sponsorshipPosting } from '../../domain/app-balance.js';
import { microUsdText } from '../../domain/money.js';
import type { PolicyRule } from '../../domain/sponsor-policy.js';
import { firstLook } from '../../engine/base/first-look.js';
import { type ApiError, apiError } from '../../errors/api-error.js';

/**
 * App balances: reservations.
 *
 * Invariants (G10): a balance less its reservations never falls below zero, and never counts what is not in the books:
 * each change of the one is in the change set of the other. A reservation's row ends it once, whichever change sets race, and only as what was reserved.
 *
 * Not guaranteed here: that a reservation is ended. Its caller does so; `openSponsorships` lists what is open.
 */

/** A counter of what is sponsored, and its bound in micro-USD; absent: counted without one. */
export interface SponsorCap {
  readonly account: string;
  readonly most?: bigint;
  /** Of the policy that sets the bound. */
  readonly rule?: PolicyRule;
}

/** All amounts are micro-USD. */
export interface Sponsored {
  readonly integratorId: string;
  /** At most one reservation each, for ever. */
  readonly requestId: RequestId;
  /** Request that the event of the balance names; absent: `requestId`. */
  readonly shownAs?: RequestId;
  /** Reserved, above zero. The same in all calls. */
  readonly amount: bigint;
  /** Of the key's policy: counted while reserved, and what was taken after that. The same counters in all calls. */
  readonly caps?: readonly SponsorCap[];
}

/**
 * Reserves. Conflicts: `bound` on `pots` with the counter's name where the balance less other reservations, or a cap,
 * is short; `duplicate` on `sponsorships` where the request has one.
 *
 * @throws on an amount that is not above zero.
 */
export function reserveChanges(sponsored: Sponsored, now: UnixMs): readonly Change[] {
  const { integratorId, requestId, amount, caps = [] } = sponsored;
  if (amount <= 0n) throw new RangeError(`a reservation of ${amount} for ${requestId}`);
  const counters = caps.length === 0 ? null : JSON.stringify(caps.map(({ account }) => account));
  const born = { version: OPEN, taken: null, endedAt: null, createdAt: now };
  return [
    {
      op: 'insert',
      table: 'sponsorships',
      row: { ...born, id: idOf(sponsored), requestId, integratorId, amount, counters },
    },
    // guard: sponsor-within-balance
    { op: 'count', account: counter.available(integratorId), by: -amount, atLeast: 0n },
    ...caps.map(({ account, most }): Change => {
      const counted = { op: 'count', account, by: amount } as const;
      return most === undefined ? counted : { ...counted, atMost: most };
    }),
  ];
}

/** What settling takes from the balance: never more than was reserved. */
export function takenOf({ amount }: Pick<Sponsored, 'amount'>, actual: bigint): bigint {
  // guard: sponsor-pays-no-more
  return actual < amount ? actual : amount;
}

/**
 * Takes min(actual, reserved) from the balance and ends the reservation. Conflicts, `version` on `sponsorships`, where
 * there is none of this amount or it ended.
 */
export function settleChanges(sponsored: Sponsored, actual: bigint, now: UnixMs): readonly Change[] {
  if (actual < 0n) throw new RangeError(`${actual} to take for ${sponsored.requestId}`);
  const { integratorId, requestId: reservation, shownAs: requestId = reservation } = sponsored;
  const taken = takenOf(sponsored, actual);
  const ending = endChanges(sponsored, taken, now);
  if (taken === 0n) return ending;
  const groupId = `sponsorship:${reservation}`;
  return [
    ...ending,
    { op: 'post', lines: sponsorshipPosting({ groupId, requestId, legId: null, createdAt: now }, integratorId, taken) },
    {
      op: 'insert',
      table: 'balanceEvents',
      row: {
        id: groupId,
        integratorId,
        kind: 'sponsorship',
        amount: -taken,
        requestId,
        chainId: null,
        currency: null,
        transactionHash: null,
        reason: null,
        createdAt: now,
      },
    },
  ];
}

/** Ends the reservation and takes nothing. Conflicts as `settleChanges`. */
export function releaseChanges(sponsored: Sponsored, now: UnixMs): readonly Change[] {
  return endChanges(sponsored, 0n, now);
}

/** Null where the request has none that is open. */
export async function reservationOf(
  store: Pick<Store, 'sponsorships'>,
  requestId: RequestId,
): Promise<Sponsored | null> {
  const [row] = await store.sponsorships([requestId]);
  if (row === undefined || row.taken !== null) return null;
  const { integratorId, amount, counters } = row;
  const caps = (JSON.parse(counters ?? '[]') as string[]).map((account) => ({ account }));
  return { integratorId, requestId, amount, caps };
}

/** Balance less reservations, micro-USD. Zero for an unknown integrator. */
export function available(store: Pick<Store, 'pot'>, integratorId: string): Promise<bigint> {
  return store.pot(counter.available(integratorId));
}

/** A first look: nothing is available. */
export async function isSpent(store: Pick<Store, 'pot'>, integratorId: string): Promise<boolean> {
  const isNothing = (amount: bigint) => amount <= 0n;
  return isNothing(await firstLook((asOf) => store.pot(counter.available(integratorId), asOf), isNothing));
}

/** Without what is available: the key may not be allowed to see it. @param microUsd what it would take */
export function balanceTooLow(what: string, microUsd: bigint): ApiError {
  const message = `The app balance does not cover the ${what}, ${microUsdText(microUsd)} USD`;
  return apiError('SPONSOR_BALANCE_TOO_LOW', message, { required: microUsd.toString() });
}

/** Invariant: the change set of another integrator or amount finds no row. */
function idOf({ requestId, integratorId, amount }: Sponsored): string {
  return `${requestId}:${amount}:${integratorId}`;
}

/** A reservation has version 1 while it is open: whatever ends it first raises that. */
const OPEN = 1;

function endChanges(sponsored: Sponsored, taken: bigint, now: UnixMs): readonly Change[] {
  const { integratorId, amount, caps = [] } = sponsored;
  const back = amount - taken;
  return [
    {
      op: 'update',
      table: 'sponsorships',
      key: { id: idOf(sponsored) },
      version: OPEN,
      set: { taken, endedAt: now },
    },
    ...(back === 0n ? [] : [counter.available(integratorId), ...caps.map(({ account }) => account)]).map(
      (account, n): Change => ({ op: 'count', account, by: n === 0 ? back : -back }),
    ),
  ];
}
