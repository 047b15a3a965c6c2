import { type Aged, type Alerts, type Clock, type Logger, OptionError } from '@causeway/core';
import type { Provider, Providers } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import {
  type ContractFinding,
  type ContractReport,
  checkContracts,
  checkedOptions,
  type Roles,
} from './contracts-check.js';
import { checkTokens } from './token-check.js';
import type { KeptParts } from './transfer-fees.js';

/** Interval while something is wrong or an allowance may run out. */
const SOON_MS = 10_000;
const RECHECK_INTERVAL_MS = 60_000;
const AMPLE_ALLOWANCE = 2n ** 128n;

interface Services {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
  /** The contracts may be missing, and nothing is paid: only the tokens are checked. */
  readonly rehearsing?: boolean;
}

/**
 * Whether the router accepts the fill signer, the depository accepts the allocator, and the router may spend the
 * payout tokens. Checked periodically, so that an operator's fix takes effect without a restart.
 *
 * Not guaranteed: quotes with a revoked key stop at the next check, at most a minute later. Its fills fail and are
 * retried; nothing is paid twice.
 */
export class Fitness {
  readonly #config: ChainConfig;
  readonly #providers: Providers;
  readonly #roles: Roles;
  readonly #kept: KeptParts;
  readonly #services: Services;
  #allowances: ReadonlyMap<string, bigint> = new Map();
  #readAt = 0;
  #tokensRight = false;
  #problem: string | null = 'contracts not checked yet';
  #due = 0;

  constructor(config: ChainConfig, providers: Providers, roles: Roles, kept: KeptParts, services: Services) {
    this.#config = config;
    this.#providers = providers;
    this.#roles = roles;
    this.#kept = kept;
    this.#services = services;
  }

  problem(): string | null {
    return this.#problem;
  }

  /** The router's, over the fill signer's tokens. Undefined if unknown, and for native coin. */
  allowance(signer: string, currency: string): Aged<bigint> | undefined {
    const value = signer === this.#roles.fill ? this.#allowances.get(currency) : undefined;
    return value === undefined ? undefined : { value, at: this.#readAt };
  }

  onHead(): void {
    if (this.#services.clock.monotonic() >= this.#due) void this.check().catch(() => undefined);
  }

  /** @throws OptionError if nothing could ever work. What cannot be queried only degrades. */
  async check(): Promise<void> {
    const { clock, log } = this.#services;
    const provider = this.#providers.active();
    if (provider === undefined) return;
    this.#due = clock.monotonic() + SOON_MS;
    let report: ContractReport;
    try {
      report = await this.#read(provider);
      await this.#kept.measure(provider, report.allowances);
    } catch (error) {
      this.#providers.unread('contracts', provider, error);
      log.warn({ error: String(error) }, 'contracts could not be checked yet');
      return;
    }
    this.#providers.read('contracts', provider);
    const { findings, allowances } = report;
    this.#allowances = allowances;
    this.#readAt = clock.now();
    if (findings.every(({ failing }) => failing)) this.#tokensRight = true;
    const mayEnd = [...allowances.values()].some((value) => value < AMPLE_ALLOWANCE);
    if (findings.length === 0 && !mayEnd) this.#due = clock.monotonic() + RECHECK_INTERVAL_MS;
    this.#report(findings);
  }

  async #read(provider: Provider): Promise<ContractReport> {
    const tokens = !this.#tokensRight;
    if (!this.#services.rehearsing) return checkContracts(provider, this.#config, this.#roles, tokens);
    return { findings: tokens ? await checkTokens(provider, this.#config) : [], allowances: new Map() };
  }

  #report(findings: readonly ContractFinding[]): void {
    const { facts, path } = this.#config;
    const { alerts } = this.#services;
    for (const option of checkedOptions(this.#config)) {
      const found = findings.find((finding) => finding.option === option);
      const id = `contracts-${facts.id}-${option}`;
      if (found === undefined) alerts.clear(id);
      else alerts.raise(id, `${facts.displayName}: ${found.message}`);
    }
    // guard: evm-unfit-tokens
    const fatal = findings.find((finding) => finding.fatal);
    this.#problem = fatal?.message ?? null;
    if (fatal !== undefined) throw new OptionError(`${path}.${fatal.option}`, `chain ${facts.id}: ${fatal.message}`);
  }
}
