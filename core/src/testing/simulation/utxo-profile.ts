import type { Profile } from './scenario.js';

/**
 * Runs on UTXO chains: unconfirmed deposits that are replaced, double-spent, evicted, descend from unconfirmed ones,
 * land late or are reorganised away; random blocks, shared transactions, and refunds that spend the deposit's output.
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
