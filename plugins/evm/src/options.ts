import type { DataFeeModel } from './data-fees.js';
import type { ErrorOption } from './explain-call/options.js';
import type { ChainFeedsOptions, FeedsOptions } from './feeds/options.js';
import type { SwapOptions } from './swaps/options.js';

export interface EvmOptions {
  /** Default for chains without signers. */
  readonly signers?: SignerOptions;
  /** Of the contracts that `setUp` deploys. Default: the fill signer. */
  readonly owner?: string;
  readonly chains: readonly EvmChainOptions[];
  readonly feeds?: Partial<FeedsOptions>;
  readonly errors?: readonly ErrorOption[];
}

/** Key references: `env:NAME` or `file:PATH`; for `fill`, `sweeper` and `former` also `remote:ID#ADDRESS`. */
export interface SignerOptions {
  /** Holds inventory, sends fills, refunds and collects, pays their gas. */
  readonly fill: string;
  /** Authorises withdrawals from the depository; never sends. */
  readonly allocator: string;
  /** Sends sweeps of deposit addresses and pays their gas; holds nothing else. Absent: no deposit addresses. */
  readonly sweeper?: string;
  /** Makes calls for others (`POST /execute`) and pays their gas; holds nothing else. Absent: no such calls. */
  readonly executor?: string;
  /** More of them: calls go through whichever has least to do. */
  readonly executors?: readonly string[];
  /** Fill keys that were replaced: complete the payments that they were given. */
  readonly former?: readonly string[];
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
  /** Set if the token is shown under another symbol; empty: the contract returns none. */
  readonly contractSymbol?: string;
  /** The token refuses to change a non-zero allowance to another non-zero one. */
  readonly approveReset?: boolean;
  /** Transfer fee, hundredths of a percent. */
  readonly transferFeeBps?: number;
}

export interface FinalityOptions {
  /** Ascending: the first tier whose `belowUsd` exceeds the value decides. */
  readonly tiers?: readonly { readonly belowUsd: number; readonly depth: number }[];
  /** Above all tiers, and for finality without a `finalized` tag. */
  readonly depth?: number;
  readonly useFinalizedTag?: boolean;
  readonly finalityMs?: number;
}

export interface QuorumOptions {
  /** From this value on, several providers must confirm a deposit. */
  readonly aboveUsd: number;
  readonly providers?: number;
}

export interface GasOptions {
  /** One fill, refund or collect; above it QUOTED_GAS_LIMIT_EXCEEDED. */
  readonly limitCap?: number;
  readonly mostBatched?: number;
  readonly limitBuffer?: number;
  /** wei, decimal text. */
  readonly maxFeePerGas?: string;
  readonly minPriorityFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly bump?: number;
  readonly costBuffer?: number;
  /** Gas limit of the zero transfer that closes a stranded nonce. */
  readonly noopLimit?: number;
  readonly maxAgeMs?: number;
  readonly dataFee?: DataFeeModel;
}

export interface BatchOptions {
  readonly most?: number;
  readonly least?: number;
}

export interface WatchOptions {
  /** Default: a quarter of the block time, between 200 ms and 4 s. */
  readonly pollMs?: number;
  readonly maxRange?: number;
  readonly traceMs?: number;
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
    readonly depositAddresses?: string;
    readonly permitEntry?: string;
    readonly permit2?: string;
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
  /** Overrides the plugin's. */
  readonly owner?: string;
  readonly finality?: FinalityOptions;
  readonly quorum?: QuorumOptions;
  readonly blockTimeMs?: number;
  readonly gas?: GasOptions;
  readonly batches?: BatchOptions;
  /** Native balance (whole units, decimal text) of the fill signer below which an alert is raised. */
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
