import type { Clock } from '@causeway/core';
import { HttpClient, type Provider, type Providers, TransportError } from '@causeway/core/rpc';
import { addressScript } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import type { PayerSource } from './payer/payer-coins.js';
import type { Node } from './rpc/node.js';
import { searchUnspent, type Waiting } from './rpc/search.js';

export interface BalanceDeps {
  readonly config: ChainConfig;
  readonly providers: Providers;
  readonly payers: PayerSource | undefined;
  readonly clock: Clock;
}

/** Wait for other scans of a local node. */
const SCAN_MS = 5_000;

/**
 * Satoshis, from explorers, or on a local chain from a UTXO set scan, which takes minutes elsewhere.
 *
 * @throws TransportError without a source.
 */
export async function userBalance({ config, providers, payers, clock }: BalanceDeps, address: string): Promise<bigint> {
  if (payers !== undefined) {
    const coins = await payers.coins(address);
    return coins.reduce((sum, { value, confirmed }) => (confirmed ? sum + value : sum), 0n);
  }
  if (config.facts.network !== 'local')
    throw new TransportError('no explorer is configured that knows the outputs of payers', 'none');
  const waiting = { clock, signal: AbortSignal.timeout(SCAN_MS) };
  return providers.onSide('trials', (provider) => scannedBalance(provider, config, address, waiting));
}

export async function scannedBalance(
  node: Node,
  { network }: ChainConfig,
  address: string,
  waiting?: Waiting,
): Promise<bigint> {
  const { outputs } = await searchUnspent(node, [addressScript(address, network)], waiting);
  return outputs.reduce((sum, { value }) => sum + value, 0n);
}

export function probing({ endpoints, rpc }: ChainConfig, index: number, timeoutMs: number): Provider {
  const url = endpoints[index]?.http ?? '';
  const name = `provider ${index + 1} (${new URL(url).host})`;
  return { index, name, ws: undefined, rpc: new HttpClient({ url, label: name, ...rpc, timeoutMs }) };
}
