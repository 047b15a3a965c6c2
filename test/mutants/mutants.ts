import { CODEC_MUTANTS } from './codec.js';
import type { Mutant } from './mutant.js';

/** Ways to write an adapter wrongly, over every method of its contract. */
export const MUTANTS: readonly Mutant[] = [...CODEC_MUTANTS];
