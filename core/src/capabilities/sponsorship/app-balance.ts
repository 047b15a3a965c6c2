import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { Change, Store } from '../../contract/store.js';
import { counter } from '../../domain/accounts.js';
import { sponsorshipPosting } from '../../domain/app-balance.js';

/**
 * App balances: reservations.
 *
 * Invariants (G10): a balance less its reservations never falls below zero, and never counts what is not in the books:
 * each change of the one is in the change set of the other. A reservation's row ends it once, whoever races.
 *
 * Not guaranteed here: that a reservation is ended. Whoever made it does so; `openSponsorships` lists what is open.
 */

/** All amounts are micro-USD. */
export interface Sponsored {
  readonly integratorId: string;
  /** At most one reservation each, for ever. */
  readonly requestId: RequestId;
  /** Reserved, above zero. The same in all calls. */
  readonly amount: bigint;
}

/**
 * Reserves. Conflicts: `bound` on `pots` where the balance less other reservations is short, `duplicate` on
 * `sponsorships` where the request has one.
 *
 * @throws on an amount that is not above zero.
 */
export function reserveChanges({ integratorId, requestId, amount }: Sponsored, now: UnixMs): readonly Change[] {
  if (amount <= 0n) throw new RangeError(`a reservation of ${amount} for ${requestId}`);
  return [
    {
      op: 'insert',
      table: 'sponsorships',
      row: { id: requestId, version: 1, integratorId, amount, taken: null, createdAt: now, endedAt: null },
    },
    // guard: sponsor-within-balance
    { op: 'count', account: counter.available(integratorId), by: -amount, atLeast: 0n },
  ];
}

/**
 * Takes min(actual, reserved) from the balance and ends the reservation. Conflicts, `version` on `sponsorships`, where
 * there is none or it ended.
 */
export function settleChanges(sponsored: Sponsored, actual: bigint, now: UnixMs): readonly Change[] {
  if (actual < 0n) throw new RangeError(`${actual} to take for ${sponsored.requestId}`);
  const { integratorId, requestId, amount } = sponsored;
  // guard: sponsor-pays-no-more
  const taken = actual < amount ? actual : amount;
  const ending = endChanges(sponsored, taken, now);
  if (taken === 0n) return ending;
  const groupId = `sponsorship:${requestId}`;
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

/** Balance less reservations, micro-USD. Zero for an unknown integrator. */
export function available(store: Pick<Store, 'pot'>, integratorId: string): Promise<bigint> {
  return store.pot(counter.available(integratorId));
}

/** A reservation has version 1 while it is open: whatever ends it first raises that. */
const OPEN = 1;

function endChanges({ integratorId, requestId, amount }: Sponsored, taken: bigint, now: UnixMs): readonly Change[] {
  return [
    {
      op: 'update',
      table: 'sponsorships',
      key: { id: requestId },
      /* guard: sponsor-ends-once */ version: OPEN,
      set: { taken, endedAt: now },
    },
    { op: 'count', account: counter.available(integratorId), by: amount - taken },
  ];
}
