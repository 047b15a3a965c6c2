import type { Hex } from '../../contract/ids.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import { chainOf, type EngineContext } from '../../engine/base/context.js';
import { laneFor } from '../../engine/base/lanes.js';
import { FRESH } from '../../engine/base/leg-marks.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { awaitsSweep } from './swept.js';

/**
 * Owes one sweep for each decided transfer to a deposit address.
 *
 * Invariant (G4): its id is the transfer's funding key and its amount what was observed, so it is owed once, and a
 * later transfer has a sweep of its own. It is `blocked` until the transfer is final.
 */
export function oweSweep(context: EngineContext, work: UnitOfWork, deposit: DepositRow): void {
  if (!awaitsSweep(context, deposit) || deposit.salt === null) return;
  const { fundingKey, salt, amount, state } = deposit;
  const id = legId.sweep(salt, fundingKey);
  const terms = {
    requestId: deposit.requestId,
    state: state === 'final' ? 'owed' : state === 'vanished' ? 'suspended' : 'blocked',
    amount,
    reason: null,
    dueAt: context.clock.now(),
    ...FRESH,
  } as const;
  const earlier = work.get('legs', id);
  if (!earlier) work.insert('legs', { ...sweepOf(context, deposit, salt), ...terms });
  else if (earlier.state === 'void') work.update('legs', id, terms);
}

/** The sweep of a transfer, whether it is owed yet or not. */
export function sweepOf(
  context: Pick<EngineContext, 'chains' | 'clock'>,
  { chainId, fundingKey, requestId, amount, currency }: DepositRow,
  salt: Hex,
): LegRow {
  const now = context.clock.now();
  return {
    ...{ id: legId.sweep(salt, fundingKey), version: 1, requestId, fundingKey, kind: 'sweep', state: 'blocked' },
    ...{ chainId, signer: laneFor(context, chainId, 'sweep'), currency, amount, covers: 0n },
    ...{ recipient: chainOf(context, chainId).facts.depository, orderId: null, deadlineAt: null, key: null },
    ...{
      includedAt: null,
      claimedAt: null,
      work: null,
      spent: 0n,
      joined: null,
      reason: null,
      dueAt: now,
      createdAt: now,
    },
    ...FRESH,
  };
}

/** For an operator: judges a sweep now that waits for cheaper gas, and owes one that was not owed. */
export function hastenSweep(context: EngineContext, unit: UnitOfWork, deposit: DepositRow): void {
  const sweep = deposit.salt === null ? undefined : unit.get('legs', legId.sweep(deposit.salt, deposit.fundingKey));
  const now = context.clock.now();
  if (sweep === undefined) oweSweep(context, unit, deposit);
  else if (sweep.state === 'owed' && sweep.dueAt > now) unit.update('legs', sweep.id, { dueAt: now });
}
