import { CODEC_MUTANTS } from './codec.js';
import { DEPOSIT_MUTANTS } from './deposits.js';
import { EVIDENCE_MUTANTS } from './evidence.js';
import type { Mutant } from './mutant.js';
import { PAYOUT_MUTANTS } from './payouts.js';
import { STATE_MUTANTS } from './state.js';

export const MUTANTS: readonly Mutant[] = [
  ...CODEC_MUTANTS,
  ...DEPOSIT_MUTANTS,
  ...PAYOUT_MUTANTS,
  ...EVIDENCE_MUTANTS,
  ...STATE_MUTANTS,
];
