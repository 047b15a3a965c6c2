import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LaneRef, LegKind } from '../../contract/legs.js';
import type { EngineContext } from '../base/context.js';
import { hasInventory } from '../base/lanes.js';
import { solverCoinInDepository } from '../books/solver-coin-in-depository.js';

/**
 * While a signer can pay for fewer movements than its reserve, before it is empty. A former signer needs no reserve; what
 * it cannot pay for is reported when it is signed.
 */
export async function checkGas(context: EngineContext, chain: ChainAdapter, lane: LaneRef): Promise<void> {
  const { signer } = lane;
  if (lane.former === true) return;
  const { balance, reserve } = await gasStanding(context, chain, lane);
  if (reserve === undefined || balance === undefined) return;
  const id = `gas-low:${chain.facts.id}:${signer}`;
  if (balance >= reserve) return context.alerts.clear(id);
  const details = { chainId: chain.facts.id, signer, balance: balance.toString() };
  context.alerts.raise(id, 'A signer is short of native coin for gas: top it up', details);
}

/** Native coin for gas, smallest unit: what a signer has, and what it should have. Undefined: unknown. */
export async function gasStanding(
  context: EngineContext,
  chain: ChainAdapter,
  lane: LaneRef,
): Promise<{ readonly balance: bigint | undefined; readonly reserve: bigint | undefined }> {
  const cost = chain.legCost(kindOf(lane), chain.facts.currency.address)?.native;
  const reserve = cost === undefined ? undefined : cost * BigInt(context.policy.gasReserveFills);
  return { balance: await gasOf(context, chain, lane), reserve };
}

function kindOf({ sends }: LaneRef): LegKind {
  const [only = 'fill'] = sends;
  return sends.includes('fill') ? 'fill' : sends.includes('refund') ? 'refund' : only;
}

/** What a depository holds for others does not pay gas. */
async function gasOf(context: EngineContext, chain: ChainAdapter, lane: LaneRef): Promise<bigint | undefined> {
  if (!hasInventory(lane)) return solverCoinInDepository(context, chain);
  return chain.laneBalance(lane.signer, chain.facts.currency.address)?.value;
}
