import type { DataFeeModel } from './data-fees.js';
import type { ChainFeedsOptions, FeedsOptions } from './feeds/options.js';
import type { SwapOptions } from './swaps/options.js';

/** Options of the plugin as the schema in options-schema.ts validates them, defaults filled in. */
export interface EvmOptions {
  /** Used by every chain that names no signers of its own. */
  readonly signers?: SignerOptions;
  readonly chains: readonly EvmChainOptions[];
  readonly feeds?: Partial<FeedsOptions>;
}

/** Key references: `env:NAME` or `file:PATH`. */
export interface SignerOptions {
  /** Holds inventory, sends fills, refunds and collects, pays their gas. */
  readonly fill: string;
  /** Authorises withdrawals from the depository; never sends. */
  readonly allocator: string;
}

export interface RpcEndpointOptions {
  readonly http: string;
  readonly ws?: string;
}

export interface CurrencyOptions {
  readonly symbol: string;
  readonly name: string;
  readonly address: string;
  readonly decimals: number;
  readonly group: string;
  readonly logoURI?: string;
  readonly verified?: boolean;
  readonly transferCheck?: boolean;
  readonly deposits?: 'taken' | 'swapped';
  /** What the contract calls itself, where the token is shown under another symbol; empty: it tells none. */
  readonly contractSymbol?: string;
  /** The token refuses to change a non-zero allowance to another non-zero one. */
  readonly approveReset?: boolean;
  /** What the token keeps of every transfer, hundredths of a percent. */
  readonly keptBps?: number;
}

export interface FinalityOptions {
  /** Accept depth by USD value, ascending: the first tier whose `belowUsd` exceeds the value decides. */
  readonly tiers?: readonly { readonly belowUsd: number; readonly depth: number }[];
  /** Accept depth above all tiers, and depth of finality where the chain has no `finalized` tag. */
  readonly depth?: number;
  readonly useFinalizedTag?: boolean;
  readonly finalityMs?: number;
}

export interface QuorumOptions {
  /** From this value on, several providers must tell of a deposit. */
  readonly aboveUsd: number;
  /** How many; at most as many as are configured. */
  readonly providers?: number;
}

export interface GasOptions {
  /** Most gas one fill, refund or collect may use; above it QUOTED_GAS_LIMIT_EXCEEDED. */
  readonly limitCap?: number;
  /** Most gas that a transaction of several fills may use. */
  readonly mostBatched?: number;
  readonly limitBuffer?: number;
  /** wei, decimal text. */
  readonly maxFeePerGas?: string;
  readonly minPriorityFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  /** Factor between a replacement's fees and its predecessor's, at least 1.1. */
  readonly bump?: number;
  /** Factor on estimated costs that quotes charge. */
  readonly costBuffer?: number;
  /** Gas limit of the transfer of nothing that closes a stranded nonce. */
  readonly noopLimit?: number;
  /** Fee samples older than this are not used. */
  readonly maxAgeMs?: number;
  /** How the chain charges for the bytes of a transaction beside its gas. */
  readonly dataFee?: DataFeeModel;
}

export interface BatchOptions {
  readonly most?: number;
  readonly least?: number;
}

export interface WatchOptions {
  /** Default: a quarter of the block time, between 200 ms and 4 s. */
  readonly pollMs?: number;
  /** Most blocks per log query. */
  readonly maxRange?: number;
}

export interface ExplorerOptions {
  readonly name?: string;
  readonly url?: string;
  readonly paths?: { readonly transaction?: string; readonly address?: string; readonly token?: string };
  readonly queryParams?: Readonly<Record<string, string>>;
}

export interface PresentationOptions {
  readonly logoUrl?: string;
  readonly brandColor?: string;
  readonly tags?: readonly string[];
  readonly baseChainId?: number;
}

export interface EvmChainOptions {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly rpc: 'devnet' | readonly RpcEndpointOptions[];
  readonly publicRpcUrl?: string;
  readonly publicWsUrl?: string;
  readonly rpcTimeoutMs?: number;
  readonly rpcMaxInFlight?: number;
  readonly rpcMaxBatch?: number;
  readonly contracts?: {
    readonly depository?: string;
    readonly router?: string;
    readonly swapEntry?: string;
    readonly wrappedNative?: string;
    readonly [name: string]: string | undefined;
  };
  readonly currency?: {
    readonly symbol: string;
    readonly name: string;
    readonly decimals: number;
    readonly group: string;
    readonly logoURI?: string;
  };
  readonly currencies?: readonly CurrencyOptions[];
  readonly signers?: SignerOptions;
  readonly finality?: FinalityOptions;
  readonly quorum?: QuorumOptions;
  readonly blockTimeMs?: number;
  readonly gas?: GasOptions;
  readonly batches?: BatchOptions;
  /** Below this native balance (whole units, decimal text) of the fill signer an alert is raised. */
  readonly gasReserve?: string;
  readonly anchor?: { readonly height: number; readonly hash: string };
  readonly explorer?: ExplorerOptions;
  readonly iconUrl?: string;
  readonly presentation?: PresentationOptions;
  readonly laterContracts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly quoteValidityMs?: number;
  readonly watch?: WatchOptions;
  readonly private?: string;
  readonly feeds?: ChainFeedsOptions;
  readonly swaps?: SwapOptions;
}
