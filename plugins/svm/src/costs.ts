import type { CostEstimate, LegKind } from '@causeway/core';
import { isNative } from './addresses.js';
import type { PriorityFees } from './fees.js';
import { MOST_UNITS, mostCost } from './transactions/build.js';
import { paysOthers } from './transactions/recipient-account.js';
import { TYPICAL_UNITS } from './units.js';

/** Signatures: the fill signer pays, and the vault signs what leaves it. */
const SIGNATURES: Readonly<Partial<Record<LegKind, number>>> = { fill: 1, refund: 2, excess: 2, collect: 2 };

export interface CostDeps {
  readonly fees: Pick<PriorityFees, 'price'>;
  /** Parts per thousand. */
  readonly costBuffer: bigint;
  /** Lamports that an account for a token locks up; undefined while that is not known. */
  rentOf(currency: string): bigint | undefined;
  /** The greatest share that a mint keeps of transfers, hundredths of a per cent. Known where its rent is. */
  keptOf(currency: string): number;
  /** Whether a recipient may lack an account for a token. */
  mustOpen(currency: string, recipient: string): boolean;
}

/** Native coin that one leg will cost us. Rent is what it is: only fees are buffered. */
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
  const full = token ? deps.rentOf(currency) : 0n;
  if (full === undefined) return undefined;
  const opens = token && recipient !== undefined && deps.mustOpen(currency, recipient);
  const looks = token && (opens || paysOthers(kind)) ? TYPICAL_UNITS[opens ? 'opening' : 'there'] : 0;
  const units = (token ? TYPICAL_UNITS.token : TYPICAL_UNITS.native) + looks;
  const fee = mostCost(signatures, units, price.value, 0n);
  const buffered = (fee * deps.costBuffer + 999n) / 1_000n;
  const kept = token ? deps.keptOf(currency) : 0;
  const rent = opens ? full : 0n;
  // What `prepare` may ask for: units are bounded by the chain, and found by a trial.
  const most = mostCost(signatures, MOST_UNITS, price.value, rent);
  const told = { at: price.at, most, ...(kept === 0 ? {} : { keptBps: kept }) };
  return recipient === undefined ? { native: buffered, ...told } : { native: buffered + rent, rent, ...told };
}

/** Native coin that the payer will spend on the deposit: one signature, and what wallets offer on top of it. */
export function depositCost({ fees }: Pick<CostDeps, 'fees'>, currency: string): CostEstimate | undefined {
  const price = fees.price();
  if (price === undefined) return undefined;
  const units = isNative(currency) ? TYPICAL_UNITS.native : TYPICAL_UNITS.token;
  return { native: mostCost(1, units, price.value, 0n), at: price.at };
}
