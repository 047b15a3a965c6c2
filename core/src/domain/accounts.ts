import type { ChainId } from '../contract/ids.js';

/**
 * Accounts of the double-entry books, one set per chain and currency. Assets are positive, what is owed and earned
 * is negative; the lines of every posting sum to zero, and so do all accounts of a currency.
 */
export const account = {
  /** Asset: what the depository holds. */
  depository: (chain: ChainId, currency: string) => `depository:${chain}:${currency}`,
  /** Asset: what a lane's signer holds. */
  inventory: (chain: ChainId, signer: string, currency: string) => `inventory:${chain}:${signer}:${currency}`,
  /** Liability to depositors; positive when a deposit vanished after its fill. */
  owed: (chain: ChainId, currency: string) => `owed:${chain}:${currency}`,
  /** Expense: delivered to recipients. */
  paid: (chain: ChainId, currency: string) => `paid:${chain}:${currency}`,
  /** Income: deposits that fills or refund gas earned. */
  earned: (chain: ChainId, currency: string) => `earned:${chain}:${currency}`,
  /** Liability to an integrator: app fees taken from filled deposits. */
  appFees: (chain: ChainId, recipient: string, currency: string) => `appFees:${chain}:${recipient}:${currency}`,
  /** Liability to those who claimed app fees: what is on its way to them. */
  claims: (chain: ChainId, currency: string) => `claims:${chain}:${currency}`,
  /** Expense: network fees in native coin. */
  gas: (chain: ChainId, currency: string) => `gas:${chain}:${currency}`,
  /** Expense: what tokens that keep a part of each transfer kept of collections. */
  transferFees: (chain: ChainId, currency: string) => `transferFees:${chain}:${currency}`,
  /** Liability moved to a named hold. */
  held: (chain: ChainId, currency: string) => `held:${chain}:${currency}`,
  /** Equity: what came into a lane from outside, such as an operator's top-up. */
  inflow: (chain: ChainId, currency: string) => `inflow:${chain}:${currency}`,
  /** Equity: what came into a depository and belongs to nobody's deposit, such as dust. */
  unclaimed: (chain: ChainId, currency: string) => `unclaimed:${chain}:${currency}`,
  /** Equity: what pots held before the books began. */
  opening: (chain: ChainId, currency: string) => `opening:${chain}:${currency}`,
} as const;

/** Counters live beside the accounts but outside the books. */
export const counter = {
  /** Inventory promised to fills that are not yet included, and kept for quotes with a fixed rate. */
  reserved: (chain: ChainId, signer: string, currency: string) => `#reserved:${chain}:${signer}:${currency}`,
  /** Micro-USD of outputs that are kept for unpaid quotes with a fixed rate, of all keys together. */
  earmarked: '#earmarked',
  /** The same of one key. */
  earmarkedBy: (keyId: string) => `#earmarked:${keyId}`,
  /** Claims of app fees so far, of one wallet in one currency. */
  claims: (chain: ChainId, wallet: string, currency: string) => `#claims:${chain}:${wallet}:${currency}`,
  /** Those of them that were paid. */
  paidClaims: (chain: ChainId, wallet: string, currency: string) => `#paidClaims:${chain}:${wallet}:${currency}`,
  /** Micro-USD of unfinal deposits acted upon. */
  unfinal: (chain: ChainId, currency: string) => `#unfinal:${chain}:${currency}`,
  /** Micro-USD accepted on a UTC day. */
  volume: (now: number) => `#volume:${new Date(now).toISOString().slice(0, 10)}`,
} as const;

/** Ids of movements. One order has one fill and one deposit one refund, for ever, because ids are unique. */
export const legId = {
  fill: (orderId: string) => `fill:${orderId}`,
  /** Of the order that it goes beside. */
  topUp: (orderId: string) => `topup:${orderId}`,
  refund: (fundingKey: string) => `refund:${fundingKey}`,
  excess: (fundingKey: string) => `excess:${fundingKey}`,
  collect: (unique: string) => `collect:${unique}`,
} as const;
