import type { ChainId, Hex } from '../contract/ids.js';

/**
 * Double-entry books per chain and currency. Assets are positive, liabilities and income negative; each posting sums
 * to zero.
 */
export const account = {
  /** Asset: depository balance. */
  depository: (chain: ChainId, currency: string) => `depository:${chain}:${currency}`,
  /** Asset: balance of a lane's signer. */
  inventory: (chain: ChainId, signer: string, currency: string) => `inventory:${chain}:${signer}:${currency}`,
  /** Liability to depositors; positive when a deposit vanished after its fill. */
  owed: (chain: ChainId, currency: string) => `owed:${chain}:${currency}`,
  /** Expense: delivered to recipients. */
  paid: (chain: ChainId, currency: string) => `paid:${chain}:${currency}`,
  /** Income from fills, and deposits withheld for refund gas. */
  earned: (chain: ChainId, currency: string) => `earned:${chain}:${currency}`,
  /** Liability to an integrator: app fees taken from filled deposits. */
  appFees: (chain: ChainId, recipient: string, currency: string) => `appFees:${chain}:${recipient}:${currency}`,
  /** Liability: claimed app fees in flight. */
  claims: (chain: ChainId, currency: string) => `claims:${chain}:${currency}`,
  /** Liability to an integrator, in micro-USD as the two below: what it paid in and was not taken. */
  appBalance: (integratorId: string) => `appBalance:usd:${integratorId}:micro`,
  /** Asset: value that app balances were credited with. */
  appBalanceFunds: 'appBalanceFunds:usd:micro',
  /** Income: taken from app balances. */
  sponsored: 'sponsored:usd:micro',
  /** Equity: deposits that were credited to app balances, in their own currency. */
  balanceDeposits: (chain: ChainId, currency: string) => `balanceDeposits:${chain}:${currency}`,
  /** Expense: network fees in native coin. */
  gas: (chain: ChainId, currency: string) => `gas:${chain}:${currency}`,
  /** Expense: transfer fees of tokens on collects. */
  transferFees: (chain: ChainId, currency: string) => `transferFees:${chain}:${currency}`,
  /** Liability moved to a named hold. */
  held: (chain: ChainId, currency: string) => `held:${chain}:${currency}`,
  /** Equity: external funds of a lane, such as an operator's top-up. */
  inflow: (chain: ChainId, currency: string) => `inflow:${chain}:${currency}`,
  /** Equity: withdrawn by the operator; positive. */
  withdrawn: (chain: ChainId, currency: string) => `withdrawn:${chain}:${currency}`,
  /** Equity: funds in a depository outside any deposit, such as dust. */
  unclaimed: (chain: ChainId, currency: string) => `unclaimed:${chain}:${currency}`,
  /** Equity: balances before the books began. */
  opening: (chain: ChainId, currency: string) => `opening:${chain}:${currency}`,
} as const;

const SPONSORED_BY = '#sponsoredBy:';

/** Counters, outside the books. */
export const counter = {
  /** Inventory promised to fills not yet included, or reserved for fixed-rate quotes. */
  reserved: (chain: ChainId, signer: string, currency: string) => `#reserved:${chain}:${signer}:${currency}`,
  /** Micro-USD of outputs reserved for unpaid fixed-rate quotes, all keys together. */
  earmarked: '#earmarked',
  earmarkedBy: (keyId: string) => `#earmarked:${keyId}`,
  /** Micro-USD of an app balance that is not reserved. */
  available: (integratorId: string) => `#appBalance:${integratorId}`,
  /** Micro-USD that an API key sponsored, or has reserved to, in a day or a month (`2026-11-28`, `2026-11`). */
  sponsored: (keyId: string, when: string) => `#sponsored:${keyId}:${when}`,
  /** The same for one user; by day first, so that those of old days are one range. */
  sponsoredUser: (keyId: string, day: string, user: string) => `${SPONSORED_BY}${day}:${keyId}:${user}`,
  /** Micro-USD reserved for fast fills. */
  fastFills: (integratorId: string) => `#fastFills:${integratorId}`,
  claims: (chain: ChainId, wallet: string, currency: string) => `#claims:${chain}:${wallet}:${currency}`,
  /** Number of those paid. */
  paidClaims: (chain: ChainId, wallet: string, currency: string) => `#paidClaims:${chain}:${wallet}:${currency}`,
  unfinal: (chain: ChainId, currency: string) => `#unfinal:${chain}:${currency}`,
  /** Number of those decided: each relies on none being decided at the same time. */
  withdrawals: '#withdrawals',
  /** USD per whole unit, scaled by 10^18: the first price of a UTC day (`2026-11-28`). */
  dayPrice: (day: string, chain: ChainId, currency: string) => `#price:${day}:${chain}:${currency}`,
  dayPrices: (day: string) => `#price:${day}:`,
  volume: (now: number) => `#volume:${new Date(now).toISOString().slice(0, 10)}`,
} as const;

/** Names of users' counters of days before this one: from the first, up to and without the second. */
export function usersCountersBefore(day: string): readonly [string, string] {
  return [SPONSORED_BY, `${SPONSORED_BY}${day}`];
}

/** Unique leg ids limit an order to one fill and a deposit to one refund. */
export const legId = {
  fill: (orderId: string) => `fill:${orderId}`,
  topUp: (orderId: string) => `topup:${orderId}`,
  refund: (fundingKey: string) => `refund:${fundingKey}`,
  excess: (fundingKey: string) => `excess:${fundingKey}`,
  collect: (unique: string) => `collect:${unique}`,
  call: (requestId: string) => `call:${requestId}`,
  permit: (requestId: string) => `permit:${requestId}`,
  originCall: (requestId: string) => `origin:${requestId}`,
  sweep: (salt: string, fundingKey: string) => `sweep:${salt}:${fundingKey}`,
} as const;

/** What the deposit address of a sweep derives from. */
export function saltOf(sweepId: string): Hex {
  return sweepId.split(':', 2)[1] as Hex;
}
