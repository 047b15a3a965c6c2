import type { Alerts, Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import type { Node } from '../rpc/node.js';
import type { ServiceScripts } from '../watch/scripts.js';
import { type Scan, scanUnspent } from './scan.js';

export interface ScannerDeps {
  readonly chainId: number;
  readonly scripts: ServiceScripts;
  readonly providers: Providers;
  readonly patient: (provider: Provider) => Node;
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
}

export type Scanned = { readonly scan: Scan } | { readonly failed: string };

const RETRY_DELAY_MS = 5_000;

/** Scans of the set of unspent outputs, by the first provider that can. A failure raises an alert. */
export class Scanner {
  readonly #deps: ScannerDeps;

  constructor(deps: ScannerDeps) {
    this.#deps = deps;
  }

  /**
   * @param their name in the alert, before "cannot be read".
   * @param alert unique per chain.
   * @param texts own scripts, as `scriptText`.
   */
  async scan(
    { what, alert }: { readonly what: string; readonly alert: string },
    first: Provider,
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<Scanned> {
    const { providers, patient, scripts, chainId, clock, alerts, log } = this.#deps;
    const id = `${alert}-${chainId}`;
    const reasons: string[] = [];
    for (const provider of [first, ...providers.usable().filter((one) => one !== first)]) {
      try {
        const scan = await scanUnspent(patient(provider), scripts, texts, { clock, signal });
        alerts.clear(id);
        return { scan };
      } catch (error) {
        if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
        // Not a provider failure: the scan may time out or conflict with another.
        reasons.push(`${provider.name}: ${error.message}`);
      }
    }
    const failed = `${what} cannot be read (${reasons.join('; ')})`;
    alerts.raise(id, `Chain ${chainId}: ${failed}; a provider must offer scantxoutset`);
    log.warn({ reasons }, `${what} cannot be read`);
    return { failed };
  }

  /** Waits until a failed scan may be repeated. */
  async pause(signal: AbortSignal): Promise<void> {
    await this.#deps.clock.sleep(RETRY_DELAY_MS, signal);
  }
}
