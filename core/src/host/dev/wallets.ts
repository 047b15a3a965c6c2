import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Devnet } from '../../contract/devnet.js';
import { loadDevnet } from './devnets.js';
import type { DevnetSources } from './local-state.js';

/**
 * What signs for the accounts of a local build, by chain.
 *
 * @throws where the folder is not of a local build.
 */
export async function loadWallets(folder: string): Promise<ReadonlyMap<number, Devnet>> {
  const sources = JSON.parse(readFileSync(join(folder, 'sources.json'), 'utf8')) as DevnetSources;
  const wallets = new Map<number, Devnet>();
  for (const { use, chainIds } of sources.devnets) {
    const devnet = await loadDevnet(use, sources.directory);
    if (devnet) for (const id of chainIds) wallets.set(id, devnet);
  }
  return wallets;
}
