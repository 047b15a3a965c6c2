import type { Party, Screener } from '../../contract/screening.js';
import type { KitHarness } from '../report-types.js';

export type ScreenerAbility =
  /** The blocked set changes at run time: `block`, `unblock`. */
  | 'changes'
  /** Depends on a source that can be unavailable: `away`. */
  | 'upstream';

/** Written by the author of a screener to drive the kit. */
export interface ScreenerHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<ScreenerAbility, string>>>;
  /** Started: it knows the blocked parties. */
  readonly screener: Screener;
  /** Parties blocked now. At least two, all different. */
  readonly blocked: readonly Party[];
  /** Parties that are not blocked, including near matches: a blocked address on another chain. */
  readonly clear: readonly Party[];
  /** A party that was never asked about and is not blocked. */
  fresh(): Party;
  /** `changes`: blocks a party; resolves once the next question may reflect it. */
  block?(party: Party): Promise<void>;
  unblock?(party: Party): Promise<void>;
  /** `upstream`: while true, the source is unavailable or answers nonsense. */
  away?(on: boolean): Promise<void>;
}
