import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { EngineContext } from '../base/context.js';

/** Raises an alert while a signer can pay for fewer movements than its reserve, and so before it is empty. */
export function checkGas(context: EngineContext, chain: ChainAdapter): void {
  const native = chain.facts.currency.address;
  const cost = chain.legCost('fill', native)?.native;
  for (const { signer } of chain.lanes) {
    const balance = chain.laneBalance(signer, native)?.value;
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
