import type { ChainId } from '../../contract/ids.js';
import { chainOf, type EngineContext } from '../base/context.js';

type Chains = Pick<EngineContext, 'chains' | 'policy'>;

/** Native coin for the gas of later movements. */
export function gasReserve(context: Chains, chainId: ChainId, currency: string): bigint {
  const chain = chainOf(context, chainId);
  if (currency !== chain.facts.currency.address) return 0n;
  return (chain.legCost('fill', currency)?.native ?? 0n) * BigInt(context.policy.gasReserveFills);
}

/** Highest fee of one fill, which a native payout must leave to the signer. */
export function maxFillFee(context: Chains, chainId: ChainId, currency: string): bigint {
  const chain = chainOf(context, chainId);
  if (currency !== chain.facts.currency.address) return 0n;
  const cost = chain.legCost('fill', currency);
  return cost?.most ?? cost?.native ?? 0n;
}

export function keptBack(context: Chains, chainId: ChainId, currency: string): bigint {
  return gasReserve(context, chainId, currency) + maxFillFee(context, chainId, currency);
}
