import type { Profile } from './scenario.js';

/**
 * Runs on chains as unlike those of accounts as can be: what is paid in is seen in a pool first, and may be replaced, double-spent,
 * forgotten, descend from what waits, land late or be reorganised away; blocks come at random; several movements share a
 * transaction; what is paid back spends the deposit's own output.
 */
export const UTXO_CHAINS: Profile = {
  profiles: ['utxo', 'utxo', 'utxo', 'nonce'],
  irregular: true,
  users: [
    'cheap',
    'forgotten',
    'descending',
    'doubleSpending',
    'replacing',
    'withdrawing',
    'payingTwice',
    'twoPayers',
    'late',
    'pastDeadline',
    'overpaying',
    'underpaying',
    'refundWanted',
    'noOrder',
    'dust',
  ],
  also: ['poolLoss', 'doubleSpendReorg'],
};
