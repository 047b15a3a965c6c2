import type { Network, NetworkName } from './network.js';

/** Options of the plugin as the schema in options-schema.ts validates them, defaults filled in. */
export interface BvmOptions {
  /** Used by every chain that names no signers of its own. */
  readonly signers?: SignerOptions;
  readonly chains: readonly BvmChainOptions[];
}

/** Key references: `env:NAME` or `file:PATH`. */
export interface SignerOptions {
  /** Holds inventory, sends fills, refunds and collects, pays their fees. */
  readonly fill: string;
  /** Owns what is deposited; signs what leaves it. */
  readonly depository: string;
}

/** Types of outputs that we make for ourselves. */
export type OwnAddressType = 'p2wpkh' | 'p2tr';

export interface RpcEndpointOptions {
  readonly http: string;
  /** Where the node publishes its pool (ZMQ, topic `sequence`); `off`: not used; default: what the node says. */
  readonly zmq?: string;
}

/** A network that the plugin does not know by name: its differences from a network that it knows. */
export type NetworkOptions = Partial<Omit<Network, 'dustRelayFee' | 'minRelayFee' | 'incrementalFee' | 'poolFloor'>> & {
  readonly base: NetworkName;
  readonly name: string;
  readonly genesis: string;
  /** Satoshis per 1,000 (v)bytes, decimal text. */
  readonly dustRelayFee?: string;
  readonly minRelayFee?: string;
  readonly incrementalFee?: string;
  /** Satoshis, decimal text. */
  readonly poolFloor?: string;
};

export interface FinalityOptions {
  /** Blocks that must follow, by USD value, ascending: the first tier whose `belowUsd` exceeds the value decides. */
  readonly tiers?: readonly { readonly belowUsd: number; readonly depth: number }[];
  /** Blocks that must follow a block that counts as final. */
  readonly depth?: number;
  readonly finalityMs?: number;
}

/** Satoshis per vbyte. */
export interface FeeOptions {
  readonly minRate?: number;
  readonly maxRate?: number;
  /** Blocks within which a payment should be included. */
  readonly targetBlocks?: number;
  /** Deposits are collected only while fees are at or below this. */
  readonly collectBelow?: number;
  readonly costBuffer?: number;
  readonly maxAgeMs?: number;
}

/** Most legs of one transaction, and how long to gather them. */
export interface BatchOptions {
  readonly most?: number;
  readonly waitMs?: number;
}

export interface PayerOptions {
  /** Explorers that know what an address has, in order of preference: base URLs of their REST interface. */
  readonly esplora: readonly string[];
  readonly timeoutMs?: number;
}

export interface BvmChainOptions {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly network: NetworkName | NetworkOptions;
  readonly rpc: 'devnet' | readonly RpcEndpointOptions[];
  /** Tells chains apart that share a first block, as forks and signets do. */
  readonly anchor?: { readonly height: number; readonly hash: string };
  readonly publicRpcUrl?: string;
  readonly rpcTimeoutMs?: number;
  readonly rpcMaxInFlight?: number;
  readonly rpcMaxBatch?: number;
  readonly currency?: {
    readonly symbol: string;
    readonly name: string;
    readonly group: string;
    readonly logoURI?: string;
  };
  readonly signers?: SignerOptions;
  readonly addressType?: OwnAddressType;
  readonly payers?: PayerOptions;
  readonly finality?: FinalityOptions;
  readonly quorum?: { readonly aboveUsd: number; readonly providers?: number };
  readonly blockTimeMs?: number;
  readonly fees?: FeeOptions;
  readonly batches?: BatchOptions;
  /** Below this balance (whole coins, decimal text) of the fill signer an alert is raised. */
  readonly gasReserve?: string;
  readonly explorer?: {
    readonly name?: string;
    readonly url?: string;
    readonly paths?: { readonly transaction?: string; readonly address?: string; readonly token?: string };
    readonly queryParams?: Readonly<Record<string, string>>;
  };
  readonly iconUrl?: string;
  readonly quoteValidityMs?: number;
  readonly watch?: {
    readonly pollMs?: number;
    readonly poolPollMs?: number;
    /** Satoshis, decimal text. */
    readonly poolFloor?: string;
    readonly forgetHours?: number;
    readonly checkHours?: number;
  };
  readonly private?: string;
}
