import type { Aged, Alerts, Clock, Logger } from '@causeway/core';
import { isTransportError, type Provider, type Providers, RpcError } from '@causeway/core/rpc';
import { AMOUNT_SLICE, amountIn, fetchAccounts } from './accounts.js';
import { isNative, NATIVE } from './addresses.js';
import type { ChainConfig } from './chain-config.js';
import { associatedAccount } from './token-accounts.js';
import { fillersOf, type Solver } from './transactions/build.js';
import type { Head } from './watch/heads.js';

type Tokens = Pick<ChainConfig, 'programs'>;

/** At the confirmed head, smallest unit; only the associated account counts. */
export async function readBalance(
  { rpc }: Pick<Provider, 'rpc'>,
  { programs }: Tokens,
  owner: string,
  currency: string,
): Promise<bigint> {
  const program = programs.get(currency);
  if (!isNative(currency) && program === undefined) throw new Error(`no currency ${currency}`);
  const account = program === undefined ? owner : associatedAccount(currency, owner, program);
  const [found] = await fetchAccounts(rpc, [account], program === undefined ? { offset: 0, length: 0 } : AMOUNT_SLICE);
  if (program === undefined) return found?.lamports ?? 0n;
  // Anyone may send coins to a future token account.
  return found?.owner === program ? amountIn(found) : 0n;
}

export interface AccountProblem {
  readonly account: string;
  readonly message: string;
}

interface OwnAccount {
  readonly role: 'fill' | 'vault' | 'sweeper' | 'former';
  readonly owner: string;
  readonly currency: string;
  readonly account: string;
  readonly program: string | undefined;
}

const MIN_READ_INTERVAL_MS = 750;

/** Read with new heads. None is created here: a running service sends nothing outside its ledger (`set-up/`). */
export class OwnAccounts {
  readonly #config: ChainConfig;
  readonly #providers: Providers;
  readonly #services: { readonly clock: Clock; readonly log: Logger; readonly alerts: Alerts };
  readonly #accounts: readonly OwnAccount[];
  readonly #solver: Solver;
  /** Of the signers, by owner and currency. */
  readonly #balances = new Map<string, Aged<bigint>>();
  #problems: readonly AccountProblem[] | undefined;
  #leastLamports = 0n;
  #reading = false;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(
    config: ChainConfig,
    providers: Providers,
    solver: Solver,
    services: { readonly clock: Clock; readonly log: Logger; readonly alerts: Alerts },
  ) {
    this.#config = config;
    this.#providers = providers;
    this.#services = services;
    this.#solver = solver;
    this.#accounts = ownAccounts(config, solver);
  }

  /** No I/O. */
  get(signer: string, currency: string): Aged<bigint> | undefined {
    if (fillersOf(this.#solver).includes(signer)) return this.#balances.get(`${signer} ${currency}`);
    if (signer !== this.#solver.sweeper) return undefined;
    const coins = this.#balances.get(`${signer} ${NATIVE}`);
    return coins === undefined || isNative(currency) ? coins : { value: 0n, at: coins.at };
  }

  /** For `status()`; null while there is none. No I/O. */
  problem(): string | null {
    if (this.#problems === undefined) return 'accounts not checked yet';
    return this.#problems[0]?.message ?? null;
  }

  onHead({ provider }: Head): void {
    if (this.#reading || this.#services.clock.monotonic() - this.#readAt < MIN_READ_INTERVAL_MS) return;
    void this.refresh(provider);
  }

  /** Never rejects: an old balance shows its age. */
  async refresh(provider: Provider): Promise<void> {
    this.#reading = true;
    this.#readAt = this.#services.clock.monotonic();
    try {
      if (this.#leastLamports === 0n) this.#leastLamports = await leastLamports(provider);
      const read = await readOwn(provider, this.#accounts);
      const at = this.#services.clock.now();
      read.forEach((value, n) => {
        const { role, owner, currency } = this.#accounts[n] as OwnAccount;
        if (role !== 'vault') this.#balances.set(`${owner} ${currency}`, { value: value ?? 0n, at });
      });
      this.#problems = problemsOf(this.#config, this.#accounts, read, this.#leastLamports);
      this.#providers.read('our accounts', provider);
      this.#report();
    } catch (error) {
      this.#providers.unread('our accounts', provider, error);
      if (isTransportError(error)) return;
      if (error instanceof RpcError)
        this.#services.log.warn({ error: error.message }, "cannot read the service's accounts");
      else this.#services.log.error({ error: String(error) }, "the service's accounts cannot be read");
    } finally {
      this.#reading = false;
    }
  }

  #report(): void {
    const { facts, gasReserve } = this.#config;
    const { alerts } = this.#services;
    const accounts = `accounts-${facts.id}`;
    const problem = this.problem();
    if (problem === null) alerts.clear(accounts);
    else alerts.raise(accounts, `${facts.displayName}: ${problem}`);
    const { fill, sweeper } = this.#solver;
    for (const signer of sweeper === undefined ? [fill] : [fill, sweeper]) {
      const gas = `gas-${facts.id}-${signer}`;
      const native = this.get(signer, NATIVE)?.value ?? 0n;
      if (native >= gasReserve) {
        alerts.clear(gas);
        continue;
      }
      const message = `${signer} on ${facts.displayName} holds ${shown(native, facts.currency)}, less than its gas reserve of ${shown(gasReserve, facts.currency)}`;
      alerts.raise(gas, message, { chainId: facts.id, signer });
    }
  }
}

export async function checkOwnAccounts(
  provider: Pick<Provider, 'rpc'>,
  config: ChainConfig,
  solver: Solver,
): Promise<readonly AccountProblem[]> {
  const accounts = ownAccounts(config, solver);
  const [read, least] = await Promise.all([readOwn(provider, accounts), leastLamports(provider)]);
  return problemsOf(config, accounts, read, least);
}

function ownAccounts({ currencies, programs }: ChainConfig, solver: Solver): readonly OwnAccount[] {
  const { sweeper } = solver;
  const payer = { role: 'sweeper', currency: NATIVE, program: undefined } as const;
  const paying: readonly OwnAccount[] = sweeper === undefined ? [] : [{ ...payer, owner: sweeper, account: sweeper }];
  const { fill, vault, former = [] } = solver;
  const owners = [['fill', fill], ['vault', vault], ...former.map((owner) => ['former', owner] as const)] as const;
  const accounts = owners.flatMap(([role, owner]) =>
    [...currencies.keys()].map((currency) => {
      const program = programs.get(currency);
      const account = program === undefined ? owner : associatedAccount(currency, owner, program);
      return { role, owner, currency, account, program };
    }),
  );
  return [...accounts, ...paying];
}

async function readOwn(
  { rpc }: Pick<Provider, 'rpc'>,
  accounts: readonly OwnAccount[],
): Promise<readonly (bigint | undefined)[]> {
  const addresses = accounts.map(({ account }) => account);
  const found = await fetchAccounts(rpc, addresses, AMOUNT_SLICE);
  return found.map((one, n) => {
    const program = accounts[n]?.program;
    if (program === undefined) return one?.lamports;
    // Anyone may send coins to a future token account.
    return one?.owner === program ? amountIn(one) : undefined;
  });
}

function problemsOf(
  { facts, currencies }: ChainConfig,
  accounts: readonly OwnAccount[],
  balances: readonly (bigint | undefined)[],
  least: bigint,
): readonly AccountProblem[] {
  return accounts.flatMap(({ role, owner, currency, account, program }, n) => {
    // Without coins only sweeps wait, which raises an alert. A former signer may have been emptied.
    if (role === 'sweeper' || role === 'former') return [];
    const balance = balances[n];
    const name = role === 'vault' ? 'the vault' : 'the fill signer';
    if (program !== undefined) {
      if (balance !== undefined) return [];
      const symbol = currencies.get(currency)?.symbol ?? currency;
      return { account, message: `${name} has no account for ${symbol} (${account}); make it: causeway setup` };
    }
    // Below it, the first deposit and the last withdrawal fail.
    if ((balance ?? 0n) >= least) return [];
    const missing = shown(least - (balance ?? 0n), facts.currency);
    return { account, message: `${name} ${owner} holds less than an account must; send it at least ${missing}` };
  });
}

async function leastLamports({ rpc }: Pick<Provider, 'rpc'>): Promise<bigint> {
  return BigInt(await rpc.request<number>('getMinimumBalanceForRentExemption', [0]));
}

export function shown(
  amount: bigint,
  { decimals, symbol }: { readonly decimals: number; readonly symbol: string },
): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - decimals);
  return `${whole}${fraction === '' ? '' : `.${fraction}`} ${symbol}`;
}
