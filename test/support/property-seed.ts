import fc from 'fast-check';
import { TIER } from '../tiers.js';

/**
 * One commit draws the same examples in each run of the gate, so that a change is judged by what it changed. Runs outside of a
 * tier, the nightly one among them, draw new examples; a failure prints its seed.
 */
if (TIER !== undefined) fc.configureGlobal({ seed: 20_261_128 });
