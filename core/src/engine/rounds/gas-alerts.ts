import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LaneRef, LegKind } from '../../contract/legs.js';
import type { EngineContext } from '../base/context.js';
import { hasInventory } from '../base/lanes.js';
import { solverCoinInDepository } from '../books/solver-coin-in-depository.js';

/** While a signer can pay for fewer movements than its reserve, before it is empty. */
export async function checkGas(context: EngineContext, chain: ChainAdapter): Promise<void> {
  const native = chain.facts.currency.address;
  for (const lane of chain.lanes) {
    const { signer } = lane;
    const cost = chain.legCost(kindOf(lane), native)?.native;
    const balance = await gasOf(context, chain, lane);
    if (cost === undefined || balance === undefined) continue;
    const id = `gas-low:${chain.facts.id}:${signer}`;
    if (balance < cost * BigInt(context.policy.gasReserveFills)) {
      context.alerts.raise(id, 'A signer is short of native coin for gas: top it up', {
        chainId: chain.facts.id,
        signer,
        balance: balance.toString(),
      });
    } else {
      context.alerts.clear(id);
    }
  }
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
