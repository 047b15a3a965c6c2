/** Guarantees of the service; see README.md. */
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

/** Base of every kit harness. Each case gets a separate one; the runner disposes of it. */
export interface KitHarness {
  /** Missing abilities, each with the reason; only those that a kit names as optional. */
  readonly lacks?: Readonly<Partial<Record<string, string>>>;
  dispose(): Promise<void>;
}

export interface ConformanceCase<H> {
  /** Group within the kit, e.g. `sending`. */
  readonly subject: string;
  /** Unique within the kit; a sentence about the implementation, e.g. `sends the same bytes twice with one effect`. */
  readonly name: string;
  readonly guarantees: readonly Guarantee[];
  /** Abilities without which the case does not apply. Absent: it always applies. */
  readonly needs?: readonly string[];
  /** Part of a contract or the docs to read when it fails. */
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
  /** Thrown error with its stack; undefined unless it failed. */
  readonly error?: unknown;
}

export interface ConformanceReport {
  /** Kit and implementation, e.g. `chain adapter: local`. */
  readonly title: string;
  readonly ok: boolean;
  readonly cases: readonly CaseReport[];
  /** The readable table. */
  readonly text: string;
}
