import type { Edit } from '../mutation/mutation.js';

/** Of the package whose adapter is changed. */
export const EXAMPLE = 'test/fixtures/example-chain/';

/** The example chain's adapter with one mistake, and what that would cost. The conformance kit has to notice it. */
export type Mutant = Edit & {
  /** Short and stable, for `--only`. */
  readonly name: string;
  /** Of the contract of chain adapters, what it breaks: `look`, `facts`. */
  readonly method: string;
  /** Who would lose what. */
  readonly cost: string;
} & Fate;

type Fate =
  /** The case of the kit that fails. It is tried first; another one that fails does as well. */
  | { readonly noticedBy: string }
  /** No case fails, and that is right: why it costs nobody anything. */
  | { readonly survives: string }
  /** No case fails yet, and one should: what the kit lacks for it. */
  | { readonly open: string };

/** A mutant without its file. */
export type InFile = Omit<Mutant, 'file' | keyof Edit> & Omit<Edit, 'file'> & Fate;

/** Mutants of one file of the example chain. */
export function mutantsOf(file: string, mutants: readonly InFile[]): readonly Mutant[] {
  return mutants.map((mutant) => ({ ...mutant, file: `${EXAMPLE}src/${file}.ts` }));
}
