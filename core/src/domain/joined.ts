import type { FundingKey } from '../contract/ids.js';
import type { LegRow } from '../contract/store-rows.js';

/** Parts of other transfers to the same deposit address that a refund includes. */
export interface Joined {
  /** Part of the leg's `covers`, smallest unit. */
  readonly amount: bigint;
  readonly transfers: readonly FundingKey[];
}

const NO_TRANSFERS: Joined = Object.freeze({ amount: 0n, transfers: Object.freeze([]) });

interface Text {
  readonly amount: string;
  readonly transfers: readonly FundingKey[];
}

export function joinedOf({ joined }: Pick<LegRow, 'joined'>): Joined {
  if (joined === null) return NO_TRANSFERS;
  const { amount, transfers } = JSON.parse(joined) as Text;
  return { amount: BigInt(amount), transfers };
}

/** The leg with the parts of these legs added, including parts that were joined to those before. */
export function withJoined(leg: LegRow, others: readonly Pick<LegRow, 'fundingKey' | 'covers' | 'joined'>[]): LegRow {
  const before = joinedOf(leg);
  const more = others.reduce((sum, { covers }) => sum + covers, 0n);
  const added = others.flatMap((one) => [
    ...(one.fundingKey === null ? [] : [one.fundingKey]),
    ...joinedOf(one).transfers,
  ]);
  const transfers = [...before.transfers, ...added];
  const text: Text = { amount: (before.amount + more).toString(), transfers };
  return { ...leg, amount: leg.amount + more, covers: leg.covers + more, joined: JSON.stringify(text) };
}
