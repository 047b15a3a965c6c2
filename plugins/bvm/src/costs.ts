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
  readonly costBuffer: bigint;
  /** Outputs that one transaction may spend, anchor included. */
  readonly coins: number;
}

/** The longest output script with an address, and scripts that name one leg. */
const ANY_SCRIPT = new Uint8Array(34);
const ORDER_SCRIPT = new Uint8Array(2 + 66);
const USE_SCRIPT = new Uint8Array(2 + 3 + 32);

/** vbytes: one or two inputs, the depository's output, the order id, change. */
const DEPOSIT_VSIZE = 290;

/**
 * Native coin for one leg alone in its transaction, as batching is not known in advance.
 *
 * Upper bound: the fee of a transaction that spends all outputs of the lane, plus the dust limit of the next anchor.
 * A lane can pay anything that leaves it this much.
 *
 * @param outputs of the refunded deposit, each of which it spends: the payer chose their number.
 */
export function legCost(
  deps: CostDeps,
  kind: LegKind,
  recipient: string | undefined,
  outputs = 1,
): CostEstimate | undefined {
  const { fees, network, solver, costBuffer, coins } = deps;
  const rate = fees.rate();
  // A fill spends one output in addition to the anchor; a withdrawal spends its own deposits.
  const few = kind === 'fill' ? 2 : 1;
  const weight = weightOfLeg(deps, kind, recipient, { lane: few, outputs });
  const heaviest = weightOfLeg(deps, kind, recipient, { lane: Math.max(coins, few), outputs });
  if (rate === undefined || weight === undefined || heaviest === undefined) return undefined;
  const fee = feeOf(vsizeOf(weight), rate.value);
  const greatest = feeOf(vsizeOf(Math.min(heaviest, network.maxWeight)), rate.value);
  return {
    native: (fee * costBuffer + 999n) / 1_000n,
    most: greatest + dustOf(solver.lane.script, network),
    at: rate.at,
  };
}

/** @param spent outputs of the lane, and of the deposit, that its transaction spends. */
function weightOfLeg(
  { network, solver }: CostDeps,
  kind: LegKind,
  recipient: string | undefined,
  spent: { readonly lane: number; readonly outputs: number },
): number | undefined {
  const { lane, depository } = solver;
  const paid =
    recipient === undefined || isPlaceholder(recipient, network) ? ANY_SCRIPT : addressScript(recipient, network);
  const own = Array.from({ length: spent.lane }, (): OwnType => lane.type);
  const both = [...own, ...Array.from({ length: spent.outputs }, (): OwnType => depository.type)];
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

export function depositCost({ fees }: Pick<CostDeps, 'fees'>): CostEstimate | undefined {
  const rate = fees.rate();
  return rate === undefined ? undefined : { native: feeOf(DEPOSIT_VSIZE, rate.value), at: rate.at };
}
