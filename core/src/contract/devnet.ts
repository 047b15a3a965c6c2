import type { Logger } from './observability.js';

export interface DevnetProcess {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface DevnetChainPlan {
  readonly chainId: number;
  readonly preferredPort: number;
  /** Number of consecutive ports it takes. Default: 1. */
  readonly ports?: number;
  /** `port` is free; `stateDir` exists, is private to this chain and outlives restarts. */
  process(port: number, stateDir: string): DevnetProcess;
  /** Resolves when the chain answers; rejects when `signal` aborts. */
  ready(port: number, signal: AbortSignal): Promise<void>;
}

export interface DevnetAccount {
  readonly vmType: string;
  /** Chain of the account; undefined: all chains of its family. */
  readonly chainId?: number;
  readonly address: string;
  readonly privateKey: string;
}

export interface DevnetSeedInput {
  readonly chains: readonly { readonly chainId: number; readonly port: number; readonly stateDir: string }[];
  /** Folder for the solver's key files (mode 0700). Keys are created once and reused. */
  readonly keysDir: string;
  readonly log: Logger;
}

export interface DevnetSeedResult {
  /** The plugin's options with `rpc: devnet` resolved: URLs, contract addresses, currencies, key references. */
  readonly options: unknown;
  readonly chains: readonly {
    readonly id: number;
    readonly vmType: string;
    readonly name: string;
    readonly rpcUrl: string;
    readonly currencies: readonly { readonly symbol: string; readonly address: string; readonly decimals: number }[];
    readonly contracts: Readonly<Record<string, string>>;
  }[];
  /** Funded users; never solver keys. */
  readonly accounts: readonly DevnetAccount[];
  /**
   * Persisted chain state could not be reused (missing anchor block, changed contract code): local service state is
   * stale.
   */
  readonly fresh: boolean;
  /** Features that are unavailable on this machine, and what would help; shown to the user. */
  readonly leftOut?: readonly string[];
}

export interface Devnet {
  /** Why this machine cannot run its chains, and what would help. The plugin is then omitted. */
  unavailable?(): string | undefined;
  plan(options: unknown): readonly DevnetChainPlan[];
  /** Idempotent: deploys contracts and tokens, funds the solver and the users, sets the block time. */
  seed(options: unknown, input: DevnetSeedInput): Promise<DevnetSeedResult>;
  /** For `causeway demo`: signs and sends one step item, resolves with the hash once included. */
  sendStep(account: DevnetAccount, rpcUrl: string, data: Readonly<Record<string, unknown>>): Promise<string>;
  balance(rpcUrl: string, address: string, currency: string): Promise<bigint>;
}

/** Funded accounts of a local build, whose money is worthless elsewhere. Private keys stay with the host. */
export interface TestAccounts {
  /** Empty where the service is not the one of a local build. */
  list(): readonly Pick<DevnetAccount, 'vmType' | 'chainId' | 'address'>[];
  /**
   * Signs and sends one step item of a quote; resolves with the hash once included.
   *
   * @param from address as listed.
   * @throws ApiError INVALID_REQUEST for another account or chain, and for data that its chain refuses.
   */
  send(from: string, chainId: number, data: Readonly<Record<string, unknown>>): Promise<string>;
}
