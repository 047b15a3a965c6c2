/** What is taken for the risk of a price between a quote and its fill, for assets of one kind. Hundredths of a per cent. */
export interface SpreadClass {
  /** Asset groups that it is for; absent: all that no other class names. */
  readonly groups?: readonly string[];
  /** Taken in any case. */
  readonly bps: number;
  /** Taken besides, times the square root of the minutes that the price is old and the quote is valid: so far prices wander. */
  readonly perRootMinuteBps: number;
}

export interface SpreadPolicy {
  /** First match wins; the last one matches every group. */
  readonly classes: readonly SpreadClass[];
}

const MINUTE_MS = 60_000;

/**
 * Spread of a pair of two assets, hundredths of a per cent of the input: that of the more volatile one. None within a group.
 *
 * @param ms age of the older price and validity of the quote together.
 */
export function spreadBps(policy: SpreadPolicy, groups: readonly [string, string], ms: number): number {
  if (groups[0] === groups[1]) return 0;
  return spreadOf(policy, groups, Math.max(0, ms) / MINUTE_MS);
}

/** That of the more volatile one of two groups, which may be the same. */
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
