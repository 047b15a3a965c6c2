import type { Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { AddressLookupTableAccount, PublicKey } from '@solana/web3.js';
import { fetchAccounts } from './accounts.js';
import type { Head } from './watch/heads.js';

const AGAIN_MS = 600_000;
const SOON_MS = 5_000;
const PROGRAM = 'AddressLookupTab1e1111111111111111111111111';

/** Contents of the tables that wallets compile deposits with, read in the background. */
export class LookupTables {
  readonly #addresses: readonly string[];
  readonly #providers: Providers;
  readonly #services: { readonly clock: Clock; readonly log: Logger };
  #due = 0;
  /** Those that were read. Warm. */
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

  /** Rejects never. */
  async refresh(provider: Provider): Promise<void> {
    const { clock, log } = this.#services;
    this.#due = clock.monotonic() + SOON_MS;
    try {
      this.current = (await readTables(provider, this.#addresses)).flatMap((table) => table ?? []);
      if (this.current.length === this.#addresses.length) this.#due = clock.monotonic() + AGAIN_MS;
      else log.warn({ configured: this.#addresses.length, found: this.current.length }, 'lookup tables are missing');
    } catch (error) {
      if (isTransportError(error)) this.#providers.failed(provider, error);
      else if (!(error instanceof RpcError)) throw error;
    }
  }
}

/** In the order asked; undefined where there is no such table. */
export async function readTables(
  { rpc }: Pick<Provider, 'rpc'>,
  addresses: readonly string[],
): Promise<readonly (AddressLookupTableAccount | undefined)[]> {
  const accounts = await fetchAccounts(rpc, addresses);
  return accounts.map((account, n) => {
    const address = addresses[n];
    if (account === undefined || address === undefined || account.owner !== PROGRAM) return undefined;
    const state = AddressLookupTableAccount.deserialize(account.data);
    return new AddressLookupTableAccount({ key: new PublicKey(address), state });
  });
}
