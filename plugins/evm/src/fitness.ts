import { type Aged, type Alerts, type Clock, type Logger, OptionError } from '@causeway/core';
import type { Providers } from '@causeway/core/rpc';
import type { ChainConfig } from './chain-config.js';
import {
  type ContractFinding,
  type ContractReport,
  checkContracts,
  checkedOptions,
  type Roles,
} from './contracts-check.js';
import type { KeptParts } from './kept-parts.js';

/** While something is wrong, or may be used up. */
const SOON_MS = 10_000;
/** What is as it must be may be taken away: the owner of a contract revokes a key, a token's approval is withdrawn. */
const AGAIN_MS = 60_000;
/** A greater allowance is not used up by paying out. */
const PLENTY = 2n ** 128n;

interface Services {
  readonly clock: Clock;
  readonly log: Logger;
  readonly alerts: Alerts;
}

/**
 * Whether our keys may do on one chain what the service promises: the router lets the fill signer fill, the depository
 * knows the allocator, and the router may take what is paid out. Asked at the start and again and again, so that what an
 * operator mends heals by itself.
 *
 * Not guaranteed: a key that is revoked is quoted with until the next look, a minute later at most. Its fills fail and are
 * asked about again; nothing is paid twice.
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
  /** Monotonic time of the next look. */
  #due = 0;

  constructor(config: ChainConfig, providers: Providers, roles: Roles, kept: KeptParts, services: Services) {
    this.#config = config;
    this.#providers = providers;
    this.#roles = roles;
    this.#kept = kept;
    this.#services = services;
  }

  /** Why nothing can be promised on this chain; null: it can. */
  problem(): string | null {
    return this.#problem;
  }

  /** What the router may take of the fill signer's tokens; undefined where it is not known, and of native coin. */
  allowance(signer: string, currency: string): Aged<bigint> | undefined {
    const value = signer === this.#roles.fill ? this.#allowances.get(currency) : undefined;
    return value === undefined ? undefined : { value, at: this.#readAt };
  }

  onHead(): void {
    if (this.#services.clock.monotonic() >= this.#due) void this.check().catch(() => undefined);
  }

  /** @throws OptionError when a contract answers that nothing could ever work. What cannot be asked only degrades. */
  async check(): Promise<void> {
    const { clock, log } = this.#services;
    const provider = this.#providers.active();
    if (provider === undefined) return;
    this.#due = clock.monotonic() + SOON_MS;
    let report: ContractReport;
    try {
      report = await checkContracts(provider, this.#config, this.#roles, !this.#tokensRight);
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
    const mayEnd = [...allowances.values()].some((value) => value < PLENTY);
    if (findings.length === 0 && !mayEnd) this.#due = clock.monotonic() + AGAIN_MS;
    this.#tell(findings);
  }

  #tell(findings: readonly ContractFinding[]): void {
    const { facts, path } = this.#config;
    const { alerts } = this.#services;
    for (const option of checkedOptions(this.#config)) {
      const found = findings.find((finding) => finding.option === option);
      const id = `contracts-${facts.id}-${option}`;
      if (found === undefined) alerts.clear(id);
      else alerts.raise(id, `${facts.displayName}: ${found.message}`);
    }
    const fatal = findings.find((finding) => finding.fatal);
    this.#problem = fatal?.message ?? null;
    if (fatal !== undefined) throw new OptionError(`${path}.${fatal.option}`, `chain ${facts.id}: ${fatal.message}`);
  }
}
