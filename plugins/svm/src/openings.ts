import type { Clock } from '@causeway/core';
import { isTransportError, type Providers, RpcError } from '@causeway/core/rpc';
import { fetchAccounts, isTokenAccount } from './accounts.js';
import { parseAddress } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import { associatedAccount } from './token-accounts.js';
import type { Head } from './watch/heads.js';

const MAX_CACHED_ACCOUNTS = 20_000;
const MAX_PENDING_ACCOUNTS = 2_000;
/** The owner may close the account. */
const BELIEVED_MS = 60_000;
const ACCOUNTS_PER_READ = 100;

/** Unknown accounts count as missing and are queried with the next head: a quote never waits. */
export class Openings {
  readonly #programs: ChainConfig['programs'];
  readonly #providers: Pick<Providers, 'onSide'>;
  readonly #clock: Clock;
  /** By address. */
  readonly #seen = new Map<string, number>();
  readonly #asked = new Map<string, { readonly owner: string; readonly mint: string }>();
  #asking = false;

  constructor(config: Pick<ChainConfig, 'programs'>, providers: Providers, { clock }: { readonly clock: Clock }) {
    this.#programs = config.programs;
    this.#providers = providers;
    this.#clock = clock;
  }

  /** True unless the account was seen recently. No I/O. @param owner a non-address has none. */
  mustOpen(mint: string, owner: string): boolean {
    if (!parseAddress(owner).ok) return true;
    const at = this.#seen.get(keyOf(mint, owner));
    if (at !== undefined && this.#clock.monotonic() - at < BELIEVED_MS) return false;
    if (this.#asked.size < MAX_PENDING_ACCOUNTS) this.#asked.set(keyOf(mint, owner), { owner, mint });
    return true;
  }

  learn(mint: string, owner: string, exists: boolean): void {
    const key = keyOf(mint, owner);
    this.#asked.delete(key);
    this.#seen.delete(key);
    if (!exists) return;
    const [oldest] = this.#seen.keys();
    if (this.#seen.size >= MAX_CACHED_ACCOUNTS && oldest !== undefined) this.#seen.delete(oldest);
    this.#seen.set(key, this.#clock.monotonic());
  }

  onHead(_head: Head): void {
    if (!this.#asking && this.#asked.size > 0) void this.#ask();
  }

  /** Strangers choose the accounts: the question must neither delay payments nor take a provider out of use. */
  async #ask(): Promise<void> {
    this.#asking = true;
    try {
      const some = [...this.#asked].slice(0, ACCOUNTS_PER_READ);
      const accounts = some.map(([, { mint, owner }]) =>
        associatedAccount(mint, owner, this.#programs.get(mint) as string),
      );
      const found = await this.#providers.onSide('trials', ({ rpc }) =>
        fetchAccounts(rpc, accounts, { offset: 0, length: 0 }),
      );
      some.forEach(([, { mint, owner }], n) => {
        this.learn(mint, owner, isTokenAccount(found[n], this.#programs.get(mint) as string));
      });
    } catch (error) {
      if (!isTransportError(error) && !(error instanceof RpcError)) throw error;
    } finally {
      this.#asking = false;
    }
  }
}

function keyOf(mint: string, owner: string): string {
  return `${mint}:${owner}`;
}
