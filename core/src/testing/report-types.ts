/** Guarantees that the service carries; README.md lists them. */
export type Guarantee =
  | 'G1'
  | 'G2'
  | 'G3'
  | 'G4'
  | 'G5'
  | 'G6'
  | 'G7'
  | 'G8'
  | 'G9'
  | 'G10'
  | 'G11'
  | 'G12'
  | 'G13'
  | 'G14'
  | 'G15';

/** What every harness of a conformance kit has in common. A case gets one of its own and the runner disposes of it. */
export interface KitHarness {
  /** Abilities that the thing under test does not have, each with the reason. Only what a kit names as optional. */
  readonly lacks?: Readonly<Partial<Record<string, string>>>;
  dispose(): Promise<void>;
}

/** One thing that an implementation must keep. */
export interface ConformanceCase<H> {
  /** Group within the kit, e.g. `sending`. */
  readonly subject: string;
  /** Unique within the kit; a sentence about the implementation, e.g. `sends the same bytes twice with one effect`. */
  readonly name: string;
  readonly guarantees: readonly Guarantee[];
  /**
   * Abilities without which the case says nothing. Absent: the case always applies, and nothing a harness declares
   * makes it pass over.
   */
  readonly needs?: readonly string[];
  /** The part of a contract or of the docs that it is about: told where it came to no end. */
  readonly read?: string;
  /** Rejects with an assertion error when the contract is not kept. */
  run(harness: H): Promise<void>;
}

export type CaseOutcome = 'passed' | 'failed' | 'notApplicable';

export interface CaseReport {
  readonly subject: string;
  readonly name: string;
  readonly guarantees: readonly Guarantee[];
  readonly outcome: CaseOutcome;
  readonly ms: number;
  /** Why it failed or does not apply; empty where it passed. */
  readonly reason: string;
  /** What was thrown, for a stack; undefined unless it failed. */
  readonly error?: unknown;
}

export interface ConformanceReport {
  /** Of the kit and what it was run on, e.g. `chain adapter: local`. */
  readonly title: string;
  readonly ok: boolean;
  readonly cases: readonly CaseReport[];
  /** The readable table. */
  readonly text: string;
}
