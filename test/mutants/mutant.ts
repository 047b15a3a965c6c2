import type { Edit } from './edit.js';

export const EXAMPLE = 'test/fixtures/example-chain/';

/** The example chain's adapter with one mistake that the conformance kit has to catch. */
export type Mutant = Edit & {
  readonly name: string;
  /** The broken method of the adapter contract: `look`, `facts`. */
  readonly method: string;
  /** Who would lose what. */
  readonly cost: string;
} & Fate;

type Fate =
  /** The failing case of the kit, tried first; any other failure counts too. */
  | { readonly noticedBy: string }
  /** Rightly not caught: why it costs no one anything. */
  | { readonly survives: string }
  /** Not caught yet: what the kit lacks. */
  | { readonly open: string };

export type InFile = Omit<Mutant, 'file' | keyof Edit> & Omit<Edit, 'file'> & Fate;

export function mutantsOf(file: string, mutants: readonly InFile[]): readonly Mutant[] {
  return mutants.map((mutant) => ({ ...mutant, file: `${EXAMPLE}src/${file}.ts` }));
}
