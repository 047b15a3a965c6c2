/** Charge for price risk between quote and fill, per asset class. Basis points. */
export interface SpreadClass {
  readonly groups?: readonly string[];
  /** Constant part. */
  readonly bps: number;
  /** Times the square root of the minutes of price age plus validity, as for a random walk. */
  readonly perRootMinuteBps: number;
}

export interface SpreadPolicy {
  /** First match wins; the last one matches every group. */
  readonly classes: readonly SpreadClass[];
}

const MINUTE_MS = 60_000;

/**
 * Spread of a pair in basis points of the input: that of the more volatile asset, none within a group.
 *
 * @param ms age of the older price plus validity of the quote.
 */
export function spreadBps(policy: SpreadPolicy, groups: readonly [string, string], ms: number): number {
  if (groups[0] === groups[1]) return 0;
  return spreadOf(policy, groups, Math.max(0, ms) / MINUTE_MS);
}

export function spreadOf(policy: SpreadPolicy, groups: readonly [string, string], minutes: number): number {
  return Math.max(...groups.map((group) => bpsOf(classOf(policy, group), minutes)));
}

function classOf({ classes }: SpreadPolicy, group: string): SpreadClass {
  const found = classes.find(({ groups }) => groups === undefined || groups.includes(group));
  if (!found) throw new Error('the last spread must match every group');
  return found;
}

function bpsOf({ bps, perRootMinuteBps }: SpreadClass, minutes: number): number {
  return bps + Math.ceil(perRootMinuteBps * Math.sqrt(minutes));
}
