import type { ChainAdapter } from '../contract/chain-adapter.js';

/** Which account of the service an address is; undefined for others. */
export function serviceAccount(
  chain: Pick<ChainAdapter, 'facts' | 'lanes' | 'capabilities'>,
  address: string,
): string | undefined {
  const { depository, depositoryVault, router, ownContracts = [] } = chain.facts;
  const entry = chain.capabilities.payerSwaps?.deposits?.depositor;
  // guard: own-contracts-as-payees
  if ([depository, router, entry, ...ownContracts].includes(address)) return 'is a contract of this service';
  const own = address === depositoryVault || chain.lanes.some(({ signer }) => signer === address);
  return own ? 'is an account of this service' : undefined;
}
