import type { CostEstimate, LegKind } from '@causeway/core';
import { isNative } from './addresses.js';
import type { PriorityFees } from './fees.js';
import { MAX_UNITS, mostCost } from './transactions/build.js';
import { paysOthers } from './transactions/recipient-account.js';
import { TYPICAL_UNITS } from './units.js';

/**
 * Signatures: of the lane's signer, who pays; in addition of the vault for its withdrawals, of a deposit address for
 * its sweep.
 */
const SIGNATURES: Readonly<Partial<Record<LegKind, number>>> = { fill: 1, refund: 2, excess: 2, collect: 2, sweep: 2 };

export interface CostDeps {
  readonly fees: Pick<PriorityFees, 'price'>;
  /** Parts per thousand. */
  readonly costBuffer: bigint;
  /** Lamports of rent for a token account; undefined while unknown. */
  rentOf(currency: string): bigint | undefined;
  /** Highest transfer fee of a mint, basis points. Known when the rent is. */
  keptOf(currency: string): number;
  mustOpen(currency: string, recipient: string): boolean;
  /**
   * Rent minimum of an account without data, lamports, which the payer of a sweep may have to lend; undefined while
   * unknown.
   */
  leastBalance(): bigint | undefined;
}

/** Native cost of one leg. Only fees are buffered: rent is exact. */
export function legCost(
  deps: CostDeps,
  kind: LegKind,
  currency: string,
  recipient: string | undefined,
): CostEstimate | undefined {
  const signatures = SIGNATURES[kind];
  const price = deps.fees.price();
  if (signatures === undefined || price === undefined) return undefined;
  const token = !isNative(currency);
  const lent = kind === 'sweep' && !token ? deps.leastBalance() : 0n;
  if (lent === undefined) return undefined;
  const full = token ? deps.rentOf(currency) : 0n;
  if (full === undefined) return undefined;
  const opens = token && recipient !== undefined && deps.mustOpen(currency, recipient);
  const looks = token && (opens || paysOthers(kind)) ? TYPICAL_UNITS[opens ? 'opening' : 'there'] : 0;
  const units = (token ? TYPICAL_UNITS.token : TYPICAL_UNITS.native) + looks;
  const fee = mostCost(signatures, units, price.value, 0n);
  const buffered = (fee * deps.costBuffer + 999n) / 1_000n;
  const kept = token ? deps.keptOf(currency) : 0;
  const rent = opens ? full : 0n;
  // Upper limit for `prepare`: the chain limits units, and the simulation finds them.
  const most = mostCost(signatures, MAX_UNITS, price.value, rent + lent);
  const reported = { at: price.at, most, ...(kept === 0 ? {} : { transferFeeBps: kept }) };
  return recipient === undefined ? { native: buffered, ...reported } : { native: buffered + rent, rent, ...reported };
}

/** The payer's cost of a deposit: one signature and wallets' usual priority fee. */
export function depositCost({ fees }: Pick<CostDeps, 'fees'>, currency: string): CostEstimate | undefined {
  const price = fees.price();
  if (price === undefined) return undefined;
  const units = isNative(currency) ? TYPICAL_UNITS.native : TYPICAL_UNITS.token;
  return { native: mostCost(1, units, price.value, 0n), at: price.at };
}
