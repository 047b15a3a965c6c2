import type { RequestId } from '../../contract/ids.js';
import type { Change } from '../../contract/store.js';
import type { EarmarkRow } from '../../contract/store-rows.js';
import { account, counter } from '../../domain/accounts.js';
import type { EngineContext } from '../base/context.js';
import { laneFor } from '../base/lanes.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { keptBack } from './kept-back.js';

export type Earmarking = Omit<EarmarkRow, 'version' | 'state' | 'signer' | 'createdAt'>;

/**
 * Invariants (G12): bounded by what the lane holds, per key and for all keys. One change of its row ends it and
 * releases all its counts.
 *
 * @returns no changes where fixed rates are off.
 */
export function earmarkChanges(
  context: Pick<EngineContext, 'chains' | 'clock' | 'policy'>,
  output: Earmarking,
): readonly Change[] {
  const { clock, policy } = context;
  if (policy.fixedRate === undefined) return [];
  const { maxHeldMicroUsd, maxHeldMicroUsdPerKey } = policy.fixedRate;
  const { chainId, currency, amount, value, keyId } = output;
  const signer = laneFor(context, chainId, 'fill');
  const unit = new UnitOfWork();
  unit.insert('earmarks', { ...output, version: 1, state: 'kept', signer, createdAt: clock.now() });
  unit.count({
    account: counter.reserved(chainId, signer, currency),
    by: amount,
    // guard: rate-within-inventory
    atMostPot: { account: account.inventory(chainId, signer, currency), keep: keptBack(context, chainId, currency) },
  });
  unit.count({
    account: counter.earmarkedBy(keyId),
    by: value,
    /* guard: rate-within-key */ atMost: maxHeldMicroUsdPerKey,
  });
  unit.count({ account: counter.earmarked, by: value, atMost: maxHeldMicroUsd });
  return unit.toChangeSet('').changes;
}

/** Considers only earmarks that the unit of work has loaded. */
export function earmarkOf(unit: UnitOfWork, requestId: RequestId): EarmarkRow | undefined {
  const row = unit.get('earmarks', requestId);
  return row?.state === 'kept' ? row : undefined;
}

/** Releases an earmark once; does nothing where there is none. */
export function endEarmark(unit: UnitOfWork, requestId: RequestId, state: Exclude<EarmarkRow['state'], 'kept'>): void {
  const row = earmarkOf(unit, requestId);
  if (row === undefined) return;
  const { chainId, signer, currency, amount, value, keyId } = row;
  unit.update('earmarks', requestId, { state });
  unit.count({ account: counter.reserved(chainId, signer, currency), by: -amount, atLeast: 0n });
  unit.count({ account: counter.earmarkedBy(keyId), by: -value, atLeast: 0n });
  unit.count({ account: counter.earmarked, by: -value, atLeast: 0n });
}
