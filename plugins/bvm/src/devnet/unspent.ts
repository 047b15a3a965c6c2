import { setTimeout as delay } from 'node:timers/promises';
import { LocalNodeError, rpc } from './rpc.js';

const POLL_MS = 50;
const SCAN_TIMEOUT_MS = 60_000;
const BUSY = -8;

export interface Unspent {
  readonly txid: string;
  readonly vout: number;
  /** Whole coins. */
  readonly amount: number;
}

/** Confirmed outputs. Waits for other scans of the node. */
export async function unspentOf(rpcUrl: string, address: string): Promise<readonly Unspent[]> {
  for (const end = performance.now() + SCAN_TIMEOUT_MS; ; ) {
    try {
      const scan = ['start', [`addr(${address})`]];
      return (await rpc<{ unspents: readonly Unspent[] }>(rpcUrl, 'scantxoutset', scan)).unspents;
    } catch (error) {
      if (!(error instanceof LocalNodeError) || error.code !== BUSY || performance.now() > end) throw error;
      await delay(POLL_MS);
    }
  }
}
