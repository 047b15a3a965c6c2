import type { ChainId } from '../../contract/ids.js';
import { chainOf, type EngineContext } from '../base/context.js';

type Chains = Pick<EngineContext, 'chains' | 'policy'>;

/** Native coin that fills may not use up, because every later movement of the lane needs it for gas. */
export function gasReserve(context: Chains, chainId: ChainId, currency: string): bigint {
  const chain = chainOf(context, chainId);
  if (currency !== chain.facts.currency.address) return 0n;
  return (chain.legCost('fill', currency)?.native ?? 0n) * BigInt(context.policy.gasReserveFills);
}

/** The greatest fee of one fill: what pays it out in native coin must leave it to the signer. */
export function ownFee(context: Chains, chainId: ChainId, currency: string): bigint {
  const chain = chainOf(context, chainId);
  if (currency !== chain.facts.currency.address) return 0n;
  const cost = chain.legCost('fill', currency);
  return cost?.most ?? cost?.native ?? 0n;
}

/** What fills leave of a lane's inventory. */
export function keptBack(context: Chains, chainId: ChainId, currency: string): bigint {
  return gasReserve(context, chainId, currency) + ownFee(context, chainId, currency);
}
