import type { ChainId, Hex } from '../contract/ids.js';
import type { PostingRow } from '../contract/store-rows.js';
import { account } from './accounts.js';
import { bytesToHex } from './hex.js';
import { keccak256 } from './keccak.js';
import { type PostingMeta, rows } from './postings.js';

/**
 * The order id under which anyone tops up an integrator's balance by a deposit into a depository. No order has it: it is
 * a hash of a text, orders are hashes of their data.
 */
export function balanceDepositId(integratorId: string): Hex {
  return bytesToHex(keccak256(new TextEncoder().encode(`App balance of ${integratorId}`)));
}

const MICRO_DECIMALS = 6;

/** Value of a currency that counts one for a dollar, micro-USD, rounded down. */
export function balanceValue(amount: bigint, decimals: number): bigint {
  return decimals >= MICRO_DECIMALS
    ? amount / 10n ** BigInt(decimals - MICRO_DECIMALS)
    : amount * 10n ** BigInt(MICRO_DECIMALS - decimals);
}

/** Taken from an app balance, micro-USD. */
export function sponsorshipPosting(meta: PostingMeta, integratorId: string, taken: bigint): PostingRow[] {
  return rows(meta, [
    [account.appBalance(integratorId), taken],
    [account.sponsored, -taken],
  ]);
}

/** Value that an app balance is credited with, micro-USD; negative: withdrawn. */
export function creditPosting(meta: PostingMeta, integratorId: string, value: bigint): PostingRow[] {
  return rows(meta, [
    [account.appBalanceFunds, value],
    [account.appBalance(integratorId), -value],
  ]);
}

/** A deposit becomes the service's own money, for which a balance is credited; smallest unit. */
export function balanceDepositPosting(
  meta: PostingMeta,
  { chainId, currency, amount }: { readonly chainId: ChainId; readonly currency: string; readonly amount: bigint },
): PostingRow[] {
  return rows(meta, [
    [account.owed(chainId, currency), amount],
    [account.balanceDeposits(chainId, currency), -amount],
  ]);
}
