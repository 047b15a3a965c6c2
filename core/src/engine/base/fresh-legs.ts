import type { LegRow, RequestRow } from '../../contract/store-rows.js';

/** A leg as this process committed it, the only row of its request besides the request itself, and for as long as it is owed. */
export interface FreshLeg {
  readonly leg: LegRow;
  readonly request: RequestRow;
}

const MAX_GIVEN = 500;

/**
 * Legs that a lane was just given, so that its next round need not read them.
 *
 * Invariant: a shortcut only. Each change set that relies on a row names its version and is refused where the row
 * changed since; what is not taken here is found by the next claim.
 */
export class FreshLegs {
  #given: FreshLeg[] = [];
  /** Of the newest claim, which may be of legs that are given later. */
  #claimed: ReadonlySet<string> = new Set();

  give(fresh: FreshLeg): void {
    if (this.#given.length < MAX_GIVEN && !this.#claimed.has(fresh.leg.id)) this.#given.push(fresh);
  }

  /** The oldest. */
  take(most: number): readonly FreshLeg[] {
    return this.#given.splice(0, most);
  }

  /**
   * @param taken before the claim.
   * @returns those of the claimed legs that were given, and did not change since.
   */
  claimed(legs: readonly LegRow[], taken: readonly FreshLeg[]): readonly FreshLeg[] {
    const versions = new Map(legs.map(({ id, version }) => [id, version]));
    const same = [...taken, ...this.#given].filter(({ leg }) => versions.get(leg.id) === leg.version);
    this.#claimed = new Set(versions.keys());
    this.#given = this.#given.filter(({ leg }) => !this.#claimed.has(leg.id));
    return same;
  }
}
