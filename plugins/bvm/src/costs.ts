import type { CostEstimate, LegKind } from '@causeway/core';
import { addressScript, isPlaceholder } from './addresses.js';
import type { FeeRates } from './fees.js';
import type { Network } from './network.js';
import type { Solver } from './transactions/compose.js';
import { feeOf, type OwnType, vsizeOf, weightOf } from './transactions/sizes.js';

export interface CostDeps {
  readonly network: Network;
  readonly solver: Solver;
  readonly fees: Pick<FeeRates, 'rate'>;
  /** Parts per thousand. */
  readonly costBuffer: bigint;
}

/** Longest output scripts that have an address, and those that name a single leg. */
const ANY_SCRIPT = new Uint8Array(34);
const ORDER_SCRIPT = new Uint8Array(2 + 66);
const USE_SCRIPT = new Uint8Array(2 + 3 + 32);

/** vbytes of a payer's deposit: one or two inputs, the depository's output, the order's name, change. */
const DEPOSIT_VSIZE = 290;

/**
 * Native coin that one leg will cost us, alone in its transaction: whether others will share it nobody knows. Nobody has to
 * open an account for a recipient in this family.
 */
export function legCost(deps: CostDeps, kind: LegKind, recipient: string | undefined): CostEstimate | undefined {
  const rate = deps.fees.rate();
  const weight = weightOfLeg(deps, kind, recipient);
  if (rate === undefined || weight === undefined) return undefined;
  const fee = feeOf(vsizeOf(weight), rate.value);
  return { native: (fee * deps.costBuffer + 999n) / 1_000n, at: rate.at };
}

function weightOfLeg({ network, solver }: CostDeps, kind: LegKind, recipient: string | undefined): number | undefined {
  const { lane, depository } = solver;
  const paid =
    recipient === undefined || isPlaceholder(recipient, network) ? ANY_SCRIPT : addressScript(recipient, network);
  const both: OwnType[] = [lane.type, depository.type];
  switch (kind) {
    case 'fill':
      return weightOf([lane.type, lane.type], [paid, ORDER_SCRIPT, lane.script]);
    case 'refund':
    case 'excess':
      return weightOf(both, [paid, USE_SCRIPT, depository.script, lane.script]);
    case 'collect':
      return weightOf(both, [lane.script, USE_SCRIPT, lane.script]);
    default:
      return undefined;
  }
}

/** Native coin that the payer will spend on the deposit. */
export function depositCost({ fees }: Pick<CostDeps, 'fees'>): CostEstimate | undefined {
  const rate = fees.rate();
  return rate === undefined ? undefined : { native: feeOf(DEPOSIT_VSIZE, rate.value), at: rate.at };
}
