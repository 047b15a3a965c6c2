import type { UnixMs } from '../../contract/ids.js';
import type { Change, Store } from '../../contract/store.js';
import { countersOf, useOf } from './policy.js';

/**
 * Passes the sponsorship of a key to the key that replaces it: its policy, and the used part of its caps per day
 * and per month.
 *
 * Not guaranteed: one cap for both keys while both are accepted; the cap per user, which begins again.
 *
 * @returns changes for the change set that makes the new key. They conflict where the policy changed meanwhile.
 */
export async function keptSponsorship(
  store: Pick<Store, 'pot' | 'sponsorPolicy'>,
  keyId: string,
  now: UnixMs,
): Promise<(newId: string) => readonly Change[]> {
  const [row, used] = await Promise.all([store.sponsorPolicy(keyId), useOf(store, keyId, null, now)]);
  return (newId) => {
    const { day, month } = countersOf(newId, null, now);
    const counted = [
      [day, used.day],
      [month, used.month],
    ] as const;
    return [
      ...counted.flatMap(([account, by]): Change[] => (by === 0n ? [] : [{ op: 'count', account, by }])),
      ...(row === undefined
        ? []
        : ([
            { op: 'require', table: 'sponsorPolicies', key: { id: keyId }, version: row.version },
            {
              op: 'insert',
              table: 'sponsorPolicies',
              row: { id: newId, version: 1, policy: row.policy, updatedAt: now },
            },
          ] as const)),
    ];
  };
}
