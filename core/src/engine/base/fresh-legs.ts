import type { LegRow, RequestRow } from '../../contract/store-rows.js';

/** A leg that this process just committed as owed. Its request has no other rows. */
export interface FreshLeg {
  readonly leg: LegRow;
  readonly request: RequestRow;
}

const MAX_GIVEN = 500;

/**
 * Legs that a lane was just given, so that its next pass need not read them from the store.
 *
 * Invariant: a shortcut only. Each change set that relies on a row names its version and is refused where the row
 * changed since; what is not taken here is found by the next claim.
 */
export class FreshLegs {
  #given: FreshLeg[] = [];
  /** Ids that the newest claim returned: a leg given later may be among them. */
  #claimed: ReadonlySet<string> = new Set();

  give(fresh: FreshLeg): void {
    if (this.#given.length < MAX_GIVEN && !this.#claimed.has(fresh.leg.id)) this.#given.push(fresh);
  }

  /** Removes and returns the oldest, up to `most`. */
  take(most: number): readonly FreshLeg[] {
    return this.#given.splice(0, most);
  }

  /**
   * @param legs that `take` returned before the claim.
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
