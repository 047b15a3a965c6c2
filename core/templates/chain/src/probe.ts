import { NotWrittenError, type ProbeResult } from '@causeway/core';
import type { Chain } from './adapter.js';

/**
 * Checks for `causeway doctor`, which does not start the plugin: each node is reachable and serves this chain, the signer is funded.
 * Returns one result per check, with `optionPath` so that `doctor` can name the line of the config. Must not throw.
 */
export async function probe(_chain: Chain, _signal: AbortSignal): Promise<readonly ProbeResult[]> {
  throw new NotWrittenError('probe: check nodes, accounts and keys for causeway doctor', 'src/probe.ts');
}
