import type { Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { AddressLookupTableAccount, PublicKey } from '@solana/web3.js';
import { fetchAccounts } from './accounts.js';
import { PROGRAMS } from './programs.js';
import type { Head } from './watch/heads.js';

const REFRESH_INTERVAL_MS = 600_000;
const SOON_MS = 5_000;

/** Read in the background. */
export class LookupTables {
  readonly #addresses: readonly string[];
  readonly #providers: Providers;
  readonly #services: { readonly clock: Clock; readonly log: Logger };
  #due = 0;
  /** Usable tables: a deactivated one will be closed. No I/O. */
  current: readonly AddressLookupTableAccount[] = [];

  constructor(
    addresses: readonly string[],
    providers: Providers,
    services: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.#addresses = addresses;
    this.#providers = providers;
    this.#services = services;
  }

  onHead({ provider }: Head): void {
    if (this.#addresses.length > 0 && this.#services.clock.monotonic() >= this.#due) void this.refresh(provider);
  }

  async refresh(provider: Provider): Promise<void> {
    const { clock, log } = this.#services;
    this.#due = clock.monotonic() + SOON_MS;
    try {
      const found = (await readTables(provider, this.#addresses)).flatMap((table) => table ?? []);
      this.current = found.filter((table) => table.isActive());
      if (found.length === this.#addresses.length) this.#due = clock.monotonic() + REFRESH_INTERVAL_MS;
      if (this.current.length < this.#addresses.length) {
        log.warn({ configured: this.#addresses.length, usable: this.current.length }, 'lookup tables cannot be used');
      }
    } catch (error) {
      if (isTransportError(error)) this.#providers.failed(provider, error);
      else if (!(error instanceof RpcError)) throw error;
    }
  }
}

/** In the given order; undefined where missing. */
export async function readTables(
  { rpc }: Pick<Provider, 'rpc'>,
  addresses: readonly string[],
): Promise<readonly (AddressLookupTableAccount | undefined)[]> {
  const accounts = await fetchAccounts(rpc, addresses);
  return accounts.map((account, n) => {
    const address = addresses[n];
    if (account === undefined || address === undefined || account.owner !== PROGRAMS.lookupTable) return undefined;
    const state = AddressLookupTableAccount.deserialize(account.data);
    return new AddressLookupTableAccount({ key: new PublicKey(address), state });
  });
}
