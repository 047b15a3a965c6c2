import type { ServicePolicy } from './policy.js';

/**
 * The chain whose accounts recipients of app fees are, whatever chain earned them: that of the solver, so that one wallet
 * holds what all chains owe to it.
 *
 * @param origin where the solver's chain is not configured: the chain that earned them.
 */
export function feeAccountsChain<C extends { readonly facts: { readonly name: string } }>(
  chains: ReadonlyMap<number, C>,
  { solverChain }: Pick<ServicePolicy, 'solverChain'>,
  origin: C,
): C {
  return [...chains.values()].find(({ facts }) => facts.name === solverChain) ?? origin;
}
