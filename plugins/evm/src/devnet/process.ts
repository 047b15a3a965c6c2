import { setTimeout as delay } from 'node:timers/promises';
import type { DevnetChainPlan } from '@causeway/core';
import { anvilBinary } from './binary.js';
import { anvilFlags } from './flags.js';
import { localChains } from './options.js';
import { rpc } from './rpc.js';
import { discardUnusable, stateFiles } from './state.js';

const FIRST_PORT = 8545;
/** Seconds between dumps, lost in a power failure. A SIGTERM writes everything. */
const STATE_INTERVAL = 10;

export function plan(options: unknown): readonly DevnetChainPlan[] {
  return localChains(options).map(({ id }, index) => ({
    chainId: id,
    preferredPort: FIRST_PORT + index,
    process(port, stateDir) {
      discardUnusable(stateDir);
      const { state, cache } = stateFiles(stateDir);
      const flags = { chainId: id, port, slotsInEpoch: 1, stateFile: state, stateInterval: STATE_INTERVAL };
      return {
        name: `chain-${id}`,
        command: anvilBinary(),
        args: anvilFlags({ ...flags, cachePath: cache, silent: true }),
      };
    },
    ready: (port, signal) => answers(port, id, signal),
  }));
}

async function answers(port: number, chainId: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const answer = await rpc<string>(`http://127.0.0.1:${port}`, 'eth_chainId').catch(() => undefined);
    if (answer !== undefined && Number(answer) === chainId) return;
    if (answer !== undefined) throw new Error(`port ${port} belongs to chain ${Number(answer)}, not to ${chainId}`);
    await delay(10, undefined, { signal });
  }
}
