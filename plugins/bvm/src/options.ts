import type { Network, NetworkName } from './network.js';

export interface BvmOptions {
  /** Default for chains without signers. */
  readonly signers?: SignerOptions;
  readonly chains: readonly BvmChainOptions[];
}

/** Key references: `env:NAME` or `file:PATH`. */
export interface SignerOptions {
  /** Holds inventory, sends fills, refunds and collects, pays their fees. */
  readonly fill: string;
  /** Owns deposits; signs withdrawals. */
  readonly depository: string;
  /** Secret from which the keys of deposit addresses derive. Absent: no deposit addresses. */
  readonly addresses?: string;
}

export type OwnAddressType = 'p2wpkh' | 'p2tr';

export interface RpcEndpointOptions {
  readonly http: string;
  /** ZMQ endpoint of topic `sequence`; `off`: unused; default: as the node reports. */
  readonly zmq?: string;
}

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
  /** Confirmations beyond the first, ascending: the first tier whose `belowUsd` exceeds the value decides. */
  readonly tiers?: readonly { readonly belowUsd: number; readonly depth: number }[];
  /** Blocks that follow a final one. */
  readonly depth?: number;
  readonly finalityMs?: number;
}

/** Satoshis per vbyte. */
export interface FeeOptions {
  readonly minRate?: number;
  readonly maxRate?: number;
  readonly targetBlocks?: number;
  /** Deposits are collected only up to this fee rate. */
  readonly collectBelow?: number;
  readonly costBuffer?: number;
  readonly maxAgeMs?: number;
}

/** Legs per transaction, and gathering time. */
export interface BatchOptions {
  readonly most?: number;
  readonly waitMs?: number;
}

export interface PayerOptions {
  /** Esplora REST base URLs in order of preference. */
  readonly esplora: readonly string[];
  readonly timeoutMs?: number;
}

export interface BvmChainOptions {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly network: NetworkName | NetworkOptions;
  readonly rpc: 'devnet' | readonly RpcEndpointOptions[];
  /** Distinguishes chains with the same genesis, such as forks and signets. */
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
  /** Balance (whole coins, decimal text) of the fill signer below which an alert is raised. */
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
    readonly silenceHours?: number;
  };
  readonly private?: string;
}
