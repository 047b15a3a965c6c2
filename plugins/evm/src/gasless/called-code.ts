import type { Hex } from '@causeway/core';
import { type Provider, RpcError } from '@causeway/core/rpc';
import { DELEGATED } from '../authorizations.js';

const MAX_CONTRACTS = 4_096;

/** Contracts that a provider showed. Their code stays (EIP-6780), unlike that of accounts that delegate. */
const contracts = new WeakMap<Provider, Set<string>>();

/**
 * Whether a call to the account executes anything: a call to an account without code succeeds and does nothing.
 *
 * Not guaranteed: a contract whose deployment was reorged out still counts.
 *
 * @param account lower case.
 * @throws TransportError, RpcError when the provider does not answer.
 */
export async function hasCode(provider: Provider, account: string, block: Hex | 'latest' = 'latest'): Promise<boolean> {
  const { home = provider } = provider;
  const known = contracts.get(home) ?? new Set();
  contracts.set(home, known);
  if (known.has(account)) return true;
  const code = (await codeOf(provider, account, block)).toLowerCase();
  if (code.startsWith(DELEGATED)) return (await codeOf(provider, `0x${code.slice(DELEGATED.length)}`, block)) !== '0x';
  if (code === '0x') return false;
  if (known.size === MAX_CONTRACTS) known.clear();
  known.add(account);
  return true;
}

/** Where a provider has no state of that block any more, the newest. */
export async function codeOf(provider: Provider, account: string | undefined, block: Hex | 'latest'): Promise<Hex> {
  try {
    return await provider.rpc.request<Hex>('eth_getCode', [account, block]);
  } catch (error) {
    if (block === 'latest' || !(error instanceof RpcError)) throw error;
    return provider.rpc.request<Hex>('eth_getCode', [account, 'latest']);
  }
}
