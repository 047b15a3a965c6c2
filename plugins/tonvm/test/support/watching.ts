import { setTimeout as delay } from 'node:timers/promises';
import type { DepositObservation } from '@causeway/core';
import type { TonvmAdapter } from '../../src/tonvm-adapter.js';

export interface Watching {
  readonly seen: readonly DepositObservation[];
  /** Resolves when an order's deposit, and so all earlier ones, was reported. @throws on time-out */
  until(orderId: string): Promise<DepositObservation>;
  stop(): Promise<void>;
}

const PAUSE_MS = 20;
const MAX_PAUSES = 400;

export async function watching(adapter: TonvmAdapter): Promise<Watching> {
  const seen: DepositObservation[] = [];
  const stop = new AbortController();
  let isReading = false;
  const done = (async () => {
    for await (const { deposits } of adapter.watchDeposits(undefined, stop.signal)) {
      isReading = true;
      seen.push(...deposits);
    }
  })();
  for (let n = 0; n < MAX_PAUSES && !isReading; n += 1) await delay(PAUSE_MS);
  return {
    seen,
    until: async (orderId) => {
      for (let n = 0; n < MAX_PAUSES; n += 1) {
        const found = seen.find((one) => one.orderId === orderId);
        if (found !== undefined) return found;
        await delay(PAUSE_MS);
      }
      throw new Error(`no deposit of ${orderId} was told`);
    },
    stop: async () => {
      stop.abort();
      await done;
    },
  };
}
