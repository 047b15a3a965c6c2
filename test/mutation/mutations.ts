import { AGGREGATOR_MUTATIONS } from './aggregator-mutations.js';
import { AUTHORIZATION_MUTATIONS } from './authorization-mutations.js';
import { BATCH_MUTATIONS } from './batch-mutations.js';
import { BVM_MUTATIONS } from './bvm-mutations.js';
import { CLAIM_MUTATIONS } from './claim-mutations.js';
import { CORE_MUTATIONS } from './core-mutations.js';
import { DISPATCH_MUTATIONS } from './dispatch-mutations.js';
import { EXAMPLE_MUTATIONS } from './example-mutations.js';
import { FAILOVER_MUTATIONS } from './failover-mutations.js';
import { FEE_CLAIM_MUTATIONS } from './fee-claim-mutations.js';
import { FIXED_RATE_MUTATIONS } from './fixed-rate-mutations.js';
import type { Mutation } from './mutation.js';
import { OWN_SWAP_MUTATIONS } from './own-swap-mutations.js';
import { PLUGIN_MUTATIONS } from './plugin-mutations.js';
import { PRICE_MUTATIONS } from './price-mutations.js';
import { PROMISE_MUTATIONS } from './promise-mutations.js';
import { READER_MUTATIONS } from './reader-mutations.js';
import { RECOVERY_MUTATIONS } from './recovery-mutations.js';
import { RIDER_MUTATIONS } from './rider-mutations.js';
import { SCREENING_MUTATIONS } from './screening-mutations.js';
import { SHORT_FORM_MUTATIONS } from './short-form-mutations.js';
import { SVM_MUTATIONS } from './svm-mutations.js';
import { SWAP_IN_MUTATIONS } from './swap-in-mutations.js';
import { SWAP_MUTATIONS } from './swap-mutations.js';
import { THIEF_MUTATIONS } from './thief-mutations.js';
import { TONVM_MUTATIONS } from './tonvm-mutations.js';
import { TOP_UP_MUTATIONS } from './top-up-mutations.js';
import { VAULT_LANE_MUTATIONS } from './vault-lane-mutations.js';

/** Every guard that money rests on, by the place where it stands. */
export const MUTATIONS: readonly Mutation[] = [
  ...CORE_MUTATIONS,
  ...RECOVERY_MUTATIONS,
  ...CLAIM_MUTATIONS,
  ...FEE_CLAIM_MUTATIONS,
  ...PLUGIN_MUTATIONS,
  ...SVM_MUTATIONS,
  ...BVM_MUTATIONS,
  ...TONVM_MUTATIONS,
  ...EXAMPLE_MUTATIONS,
  ...PRICE_MUTATIONS,
  ...FAILOVER_MUTATIONS,
  ...THIEF_MUTATIONS,
  ...DISPATCH_MUTATIONS,
  ...READER_MUTATIONS,
  ...PROMISE_MUTATIONS,
  ...SWAP_MUTATIONS,
  ...SWAP_IN_MUTATIONS,
  ...OWN_SWAP_MUTATIONS,
  ...AUTHORIZATION_MUTATIONS,
  ...AGGREGATOR_MUTATIONS,
  ...FIXED_RATE_MUTATIONS,
  ...BATCH_MUTATIONS,
  ...TOP_UP_MUTATIONS,
  ...RIDER_MUTATIONS,
  ...VAULT_LANE_MUTATIONS,
  ...SCREENING_MUTATIONS,
  ...SHORT_FORM_MUTATIONS,
];
