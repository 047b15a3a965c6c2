export interface SvmOptions {
  readonly signers?: SignerOptions;
  readonly chains: readonly SvmChainOptions[];
}

/** Key references: `env:NAME` or `file:PATH`. */
export interface SignerOptions {
  /** Holds inventory, sends fills, refunds and collects, pays their fees. */
  readonly fill: string;
  /** Owns the vault, which takes deposits; signs its withdrawals. */
  readonly vault: string;
  /** Pays for sweeps of deposit addresses and receives their rent. Only with `addresses`. */
  readonly sweeper?: string;
  /** Master secret of the deposit addresses. Only with `sweeper`. */
  readonly addresses?: string;
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
  readonly program?: 'token' | 'token-2022';
  readonly logoURI?: string;
  readonly verified?: boolean;
}

export interface FinalityOptions {
  /** Required following slots by USD value, ascending: the first tier whose `belowUsd` exceeds the value applies. */
  readonly tiers?: readonly { readonly belowUsd: number; readonly depth: number }[];
  readonly finalityMs?: number;
}

export interface FeeOptions {
  /** Micro-lamports per compute unit, decimal text. */
  readonly minPriorityFee?: string;
  readonly maxPriorityFee?: string;
  /** Share of the recent samples that are cheaper than the offer, 0 to 100. */
  readonly percentile?: number;
  readonly costBuffer?: number;
  readonly maxAgeMs?: number;
}

export interface BatchOptions {
  readonly most?: number;
  readonly least?: number;
}

export interface SvmChainOptions {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly rpc: 'devnet' | readonly RpcEndpointOptions[];
  readonly genesisHash?: string;
  readonly publicRpcUrl?: string;
  readonly publicWsUrl?: string;
  readonly rpcTimeoutMs?: number;
  readonly rpcMaxInFlight?: number;
  readonly rpcMaxBatch?: number;
  readonly currency?: {
    readonly symbol: string;
    readonly name: string;
    readonly decimals: number;
    readonly group: string;
    readonly logoURI?: string;
  };
  readonly currencies?: readonly CurrencyOptions[];
  readonly signers?: SignerOptions;
  readonly lookupTables?: readonly string[];
  readonly finality?: FinalityOptions;
  readonly quorum?: { readonly aboveUsd: number; readonly providers?: number };
  readonly blockTimeMs?: number;
  readonly fees?: FeeOptions;
  readonly batches?: BatchOptions;
  /** Alert threshold of the fill signer's native balance (whole units, decimal text). */
  readonly gasReserve?: string;
  readonly explorer?: {
    readonly name?: string;
    readonly url?: string;
    readonly paths?: { readonly transaction?: string; readonly address?: string; readonly token?: string };
    readonly queryParams?: Readonly<Record<string, string>>;
  };
  readonly iconUrl?: string;
  readonly quoteValidityMs?: number;
  readonly watch?: { readonly pollMs?: number };
  readonly private?: string;
}
