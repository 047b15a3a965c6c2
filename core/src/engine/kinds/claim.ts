import type { LegRow } from '../../contract/store-rows.js';
import { account, counter } from '../../domain/accounts.js';
import { feeAccountsChain } from '../../domain/fee-accounts.js';
import { walletOf } from '../../domain/fee-claim.js';
import { chainOf, type LegRules } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { withChargedRent } from '../books/charged-rent.js';
import { bookLostClaim, giveBackClaim, holdClaim } from '../payouts/give-up-claim.js';
import { sinceOfClaim } from '../recovery/index.js';
import { inventoryPayout } from './inventory-payout.js';

/**
 * Pays claimed app fees from the lane's inventory, less gas, under an id made of the account and its number of paid
 * claims. An unpayable claim returns to the wallet's balance.
 *
 * Invariant (G15): a ledger that lost a claim reuses its id before any later one, so the chain reveals the lost
 * claim, which is then deducted.
 */
export const CLAIM: LegRules = inventoryPayout({
  toSend: async (context, leg, whole) => withChargedRent(context, chainOf(context, leg.chainId), leg, whole),
  lines: ({ chainId, signer, currency, moved, covers }) => [
    [
      [account.inventory(chainId, signer, currency), -BigInt(moved)],
      [account.claims(chainId, currency), BigInt(covers)],
      [account.earned(chainId, currency), BigInt(moved) - BigInt(covers)],
    ],
  ],
  giveBack: giveBackClaim,
  hold: holdClaim,
  otherParties: (context, leg) => {
    const { facts } = feeAccountsChain(context.chains, context.policy, chainOf(context, leg.chainId));
    return [{ chainId: facts.id, address: walletOf(leg), role: 'user' }];
  },
  onPaid: countPaid,
  since: sinceOfClaim,
  onPaidElsewhere: (context, unit, leg, paid) => {
    countPaid(unit, leg, 1n);
    bookLostClaim(context, unit, leg, paid);
  },
});

/** Counted at inclusion, reversed by a reorg. */
function countPaid(unit: UnitOfWork, leg: LegRow, by: 1n | -1n): void {
  unit.count({ account: counter.paidClaims(leg.chainId, walletOf(leg), leg.currency), by });
}
