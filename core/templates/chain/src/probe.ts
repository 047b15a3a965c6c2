import { NotWrittenError, type ProbeResult } from '@causeway/core';
import type { Chain } from './adapter.js';

/**
 * For `causeway doctor`, which never starts the plugin: is each node reachable, does it serve this chain, is the signer funded? A finding
 * each, with `optionPath` so that the line of the config is named. Never throws in the end.
 */
export async function probe(_chain: Chain, _signal: AbortSignal): Promise<readonly ProbeResult[]> {
  throw new NotWrittenError('probe: what doctor says of nodes, accounts and keys', 'src/probe.ts');
}
