import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { joinedOf } from '../../domain/joined.js';

type Sweeping = Pick<ChainAdapter, 'capabilities' | 'transferFee'>;

/**
 * What a token that charges a fee on transfer took of the sweeps of what a leg covers, at most; smallest unit. Quotes with
 * such a token have no deposit address, but anyone can send it to one.
 *
 * Invariant (G2): so much less arrived in the depository than at the address; it is neither refunded nor collected there, or
 * it would come out of what other deposits brought.
 */
export function keptBySweeps(
  chain: Sweeping,
  deposit: Pick<DepositRow, 'depositAddress'> | undefined,
  leg: Pick<LegRow, 'currency' | 'covers' | 'joined'>,
): bigint {
  if (deposit?.depositAddress == null || chain.capabilities.depositAddresses?.sweeps !== true) return 0n;
  const fee = chain.transferFee?.(leg.currency);
  if (fee === undefined) return 0n;
  const { amount, transfers } = joinedOf(leg);
  const own = leg.covers - amount;
  // The fee of each joined transfer was rounded up.
  const joined = amount === 0n ? 0n : amount - fee.arriving(amount) + BigInt(transfers.length);
  return own - fee.arriving(own) + joined;
}
