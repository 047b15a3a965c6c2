import type { Party, Screener } from '../../contract/screening.js';
import type { KitHarness } from '../report-types.js';

export type ScreenerAbility =
  /** Who is blocked changes while it runs: `block`, `unblock`. */
  | 'changes'
  /** It asks somebody else, or reads something, that can be away: `away`. */
  | 'upstream';

/** What the author of a screener writes so that the kit can drive it. */
export interface ScreenerHarness extends KitHarness {
  readonly lacks: Readonly<Partial<Record<ScreenerAbility, string>>>;
  /** Started: it knows whom it blocks. */
  readonly screener: Screener;
  /** Whom it blocks now, as users of their chains. At least two, all different. */
  readonly blocked: readonly Party[];
  /** Whom it blocks not, those among them who are most like the blocked: the same address on a chain where it is not blocked. */
  readonly clear: readonly Party[];
  /** Somebody whom it was never asked about, and does not block. */
  fresh(): Party;
  /** `changes`: blocks somebody from now on; resolves once the next question may be told so. */
  block?(party: Party): Promise<void>;
  /** `changes`: blocks them no more. */
  unblock?(party: Party): Promise<void>;
  /** `upstream`: while true, whoever knows cannot be asked, or talks nonsense. */
  away?(on: boolean): Promise<void>;
}
