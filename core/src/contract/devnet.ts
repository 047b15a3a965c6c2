import type { Logger } from './observability.js';

/** A process to run as a local chain. Started by a keeper that ends it when the supervisor goes away. */
export interface DevnetProcess {
  /** Unique within one devnet, e.g. `chain-31337`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** One local chain about to be started for a chain whose config says `rpc: devnet`. */
export interface DevnetChainPlan {
  readonly chainId: number;
  readonly preferredPort: number;
  /** How many ports it takes, one above the other from the one it gets. Default: 1. */
  readonly ports?: number;
  /** The process, for the port the supervisor found free. `stateDir` exists, is private to this chain and outlives restarts. */
  process(port: number, stateDir: string): DevnetProcess;
  /** Resolves when the chain answers; rejects when `signal` aborts. */
  ready(port: number, signal: AbortSignal): Promise<void>;
}

export interface DevnetAccount {
  readonly vmType: string;
  /** The chain that it is an account of, where not of all chains of its family; undefined: of all of them. */
  readonly chainId?: number;
  readonly address: string;
  readonly privateKey: string;
}

export interface DevnetSeedInput {
  readonly chains: readonly { readonly chainId: number; readonly port: number; readonly stateDir: string }[];
  /** Folder for key files of the solver (mode 0700). Keys are made once and reused. */
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
  /** True when persisted chain state could not be reused (missing anchor block, changed contract code): local service state is stale. */
  readonly fresh: boolean;
  /** What the chains must do without on this machine, and what would help; shown to whoever starts them. */
  readonly leftOut?: readonly string[];
}

/** Exported as `devnet` from a chain plugin's `./devnet` entry. */
export interface Devnet {
  /** Why this machine cannot run its chains, and what would help; undefined where it can. The plugin is then left out. */
  unavailable?(): string | undefined;
  /** Plans for the chains of these plugin options that ask for a local chain. */
  plan(options: unknown): readonly DevnetChainPlan[];
  /** Idempotent: deploys contracts and tokens, funds the solver and the users, sets the block time. */
  seed(options: unknown, input: DevnetSeedInput): Promise<DevnetSeedResult>;
  /** One wallet transaction per step item, for `causeway demo`: signs and sends, resolves with the hash once included. */
  sendStep(account: DevnetAccount, rpcUrl: string, data: Readonly<Record<string, unknown>>): Promise<string>;
  /** Balance of any account, for `causeway demo`. */
  balance(rpcUrl: string, address: string, currency: string): Promise<bigint>;
}
