import type { Alerts, Clock, DepositBatch, IsPromised, Logger, Metrics } from '@causeway/core';
import { isTransportError, type Providers, RpcError } from '@causeway/core/rpc';
import { PrunedError } from '../unbroken-history.js';
import { AddressWatch, type AddressWatchDeps } from './addresses/address-watch.js';
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
  /** Absent: none are watched. */
  readonly addresses?: Pick<AddressWatchDeps, 'book' | 'programs'>;
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
  const addresses = deps.addresses && new AddressWatch({ ...deps, ...deps.addresses });
  try {
    yield* follow(deps, text, addresses, signal);
  } finally {
    addresses?.stop();
  }
}

async function* follow(
  deps: WatcherDeps,
  text: string | undefined,
  addresses: AddressWatch | undefined,
  signal: AbortSignal,
): AsyncGenerator<DepositBatch> {
  const run = new DepositRun(deps, text === undefined ? undefined : readCursor(text), addresses);
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
    const isSeen = head === seen;
    if (head === undefined || (isSeen && addresses?.hasNews !== true)) {
      await somethingNew(deps, addresses, seen, signal);
      continue;
    }
    if (!isSeen) addresses?.onHead(head);
    try {
      for await (const batch of isSeen ? run.again(head) : run.advance(head)) yield batch;
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

/** A head, or a transfer to a deposit address. */
async function somethingNew(
  { feed }: Pick<WatcherDeps, 'feed'>,
  addresses: AddressWatch | undefined,
  seen: Head | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (addresses === undefined) return feed.changed(seen, signal);
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  await Promise.race([feed.changed(seen, either), addresses.news(either)]);
  over.abort();
}
