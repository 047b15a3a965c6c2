import type { Operator } from './operators.js';

/** A guard of the product. The source marks the places where it stands with its name: `// guard: NAME`. */
export interface Guard {
  /** As in its markers. */
  readonly name: string;
  /** What it prevents, in one sentence. */
  readonly guard: string;
  /** Guarantees of `test/README.md` that rest on it. */
  readonly guarantees?: readonly string[];
  /** Entries of `core/docs/threats.md` that rest on it. */
  readonly threats?: readonly number[];
  /** What removes it. */
  readonly how: Operator;
  /** Lanes to try in this order until one goes red. */
  readonly lanes: readonly Lane[];
}

/** One vitest run: a project and files or folders of it. */
export interface Lane {
  readonly project: string;
  readonly files: readonly string[];
  /** Only tests with this in their name. */
  readonly test?: string;
}
