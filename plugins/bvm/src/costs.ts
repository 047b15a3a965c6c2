import type { CostEstimate, LegKind } from '@causeway/core';
import { addressScript, isPlaceholder } from './addresses.js';
import type { FeeRates } from './fees.js';
import type { Network } from './network.js';
import type { Solver } from './transactions/compose.js';
import { dustOf, feeOf, type OwnType, vsizeOf, weightOf } from './transactions/sizes.js';

export interface CostDeps {
  readonly network: Network;
  readonly solver: Solver;
  readonly fees: Pick<FeeRates, 'rate'>;
  /** Parts per thousand. */
  readonly costBuffer: bigint;
  /** Outputs of the lane that one transaction may spend now, its anchor among them. */
  readonly coins: number;
}

/** The longest output script that has an address, and output scripts that name a single leg. */
const ANY_SCRIPT = new Uint8Array(34);
const ORDER_SCRIPT = new Uint8Array(2 + 66);
const USE_SCRIPT = new Uint8Array(2 + 3 + 32);

/** vbytes of a payer's deposit: one or two inputs, the depository's output, the order's name, change. */
const DEPOSIT_VSIZE = 290;

/**
 * Native coin that one leg will cost us, alone in its transaction: whether others will share it nobody knows. Nobody has to
 * open an account for a recipient in this family.
 *
 * At most it costs the fee of a transaction that spends all outputs of the lane, as the payment does that takes nearly all
 * it has, and the least that an anchor of the next one needs: a lane can pay whatever leaves it so much.
 */
export function legCost(deps: CostDeps, kind: LegKind, recipient: string | undefined): CostEstimate | undefined {
  const { fees, network, solver, costBuffer, coins } = deps;
  const rate = fees.rate();
  // A fill takes one beside the anchor; what leaves the depository brings its own.
  const few = kind === 'fill' ? 2 : 1;
  const weight = weightOfLeg(deps, kind, recipient, few);
  const heaviest = weightOfLeg(deps, kind, recipient, Math.max(coins, few));
  if (rate === undefined || weight === undefined || heaviest === undefined) return undefined;
  const fee = feeOf(vsizeOf(weight), rate.value);
  const greatest = feeOf(vsizeOf(Math.min(heaviest, network.maxWeight)), rate.value);
  return {
    native: (fee * costBuffer + 999n) / 1_000n,
    most: greatest + dustOf(solver.lane.script, network),
    at: rate.at,
  };
}

/** @param spent outputs of the lane that its transaction spends. */
function weightOfLeg(
  { network, solver }: CostDeps,
  kind: LegKind,
  recipient: string | undefined,
  spent: number,
): number | undefined {
  const { lane, depository } = solver;
  const paid =
    recipient === undefined || isPlaceholder(recipient, network) ? ANY_SCRIPT : addressScript(recipient, network);
  const own = Array.from({ length: spent }, (): OwnType => lane.type);
  const both = [...own, depository.type];
  switch (kind) {
    case 'fill':
      return weightOf(own, [paid, ORDER_SCRIPT, lane.script]);
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
