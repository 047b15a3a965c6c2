import type { Alerts, Clock, DepositBatch, IsPromised, Logger, Metrics } from '@causeway/core';
import { isTransportError, type Providers, RpcError } from '@causeway/core/rpc';
import { PrunedError } from '../unbroken-history.js';
import { readCursor } from './cursor.js';
import { DepositRun } from './deposit-run.js';
import type { Head, Heads } from './heads.js';
import type { Vault } from './read-deposits.js';

export interface WatcherDeps {
  readonly vault: Vault;
  readonly accounts: readonly string[];
  readonly providers: Providers;
  readonly feed: Heads;
  readonly isPromised: IsPromised;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly metrics: Metrics;
}

const RETRY_MS = [20, 50, 100, 250, 500, 1000] as const;

/** See `ChainAdapter.watchDeposits`. */
export async function* followDeposits(
  deps: WatcherDeps,
  text: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<DepositBatch> {
  const run = new DepositRun(deps, text === undefined ? undefined : readCursor(text));
  let seen: Head | undefined;
  const unlisten = deps.providers.onChange(() => {
    run.changes += 1;
    // The current final slot is too old to prove that the next provider has everything.
    seen = deps.feed.current;
  });
  signal.addEventListener('abort', unlisten);
  let failures = 0;
  const alert = `history-${deps.vault.chainId}`;
  while (!signal.aborted) {
    const head = deps.feed.current;
    if (head === undefined || head === seen) {
      await deps.feed.changed(seen, signal);
      continue;
    }
    try {
      for await (const batch of run.advance(head)) yield batch;
      failures = 0;
      deps.providers.read('deposits', head.provider);
      deps.alerts.clear(alert);
      if (run.isThrough) seen = head;
    } catch (error) {
      if (!isTransportError(error) && !(error instanceof RpcError) && !(error instanceof PrunedError)) throw error;
      deps.providers.unread('deposits', head.provider, error);
      if (error instanceof PrunedError) {
        deps.alerts.raise(
          alert,
          `Deposits of chain ${deps.vault.chainId} are not read: ${error.message}; add a provider that has them`,
        );
      }
      const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 1000;
      failures += 1;
      if (failures > 3) deps.log.warn({ error: String(error), slot: head.height }, 'deposits cannot be read yet');
      await deps.clock.sleep(pause, signal);
    }
  }
}
