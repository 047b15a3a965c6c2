import type { ServicePolicy } from './policy.js';

/**
 * The solver's chain, so that one wallet holds fees earned on any chain.
 *
 * @param origin fallback if the solver's chain is not configured: the chain that earned them.
 */
export function feeAccountsChain<C extends { readonly facts: { readonly name: string } }>(
  chains: ReadonlyMap<number, C>,
  { solverChain }: Pick<ServicePolicy, 'solverChain'>,
  origin: C,
): C {
  return [...chains.values()].find(({ facts }) => facts.name === solverChain) ?? origin;
}
