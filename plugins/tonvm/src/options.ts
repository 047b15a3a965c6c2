export interface TonvmOptions {
  readonly chains: readonly TonvmChainOptions[];
}

export interface TonEndpoint {
  /** The whole endpoint, `…/api/v2/jsonRPC`. */
  readonly http: string;
  readonly apiKey?: string;
  readonly perSecond: number;
}

export interface JettonOptions {
  readonly symbol: string;
  readonly name: string;
  readonly address: string;
  readonly decimals: number;
  readonly group: string;
  /** Nanotons attached to each transfer; the rest returns. */
  readonly attach: string;
  /** Hash of the wallet code, hex. */
  readonly walletCode?: string;
  readonly logoURI?: string;
  readonly verified?: boolean;
}

export interface TonvmChainOptions {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly rpc: 'devnet' | readonly TonEndpoint[];
  /** Root hash of the network's first state, hex. */
  readonly zeroState?: string;
  readonly publicRpcUrl?: string;
  readonly signers?: {
    readonly fill: string;
    readonly vault: string;
    readonly sweeper?: string;
    /** Fill keys that were replaced: complete the payments that they were given. */
    readonly former?: readonly string[];
  };
  readonly currency: {
    readonly symbol: string;
    readonly name: string;
    readonly decimals: number;
    readonly group: string;
  };
  readonly jettons: readonly JettonOptions[];
  readonly testOnlyAddresses: boolean;
  readonly blockTimeMs: number;
  readonly localPrices: 'free' | 'network';
  /** Rate limit of a local chain, respected by the solver; absent or 0: none. */
  readonly localPerSecond?: number;
  readonly messageLifeS: number;
  /** Nanotons. */
  readonly least: string;
  readonly batch: { readonly most: number };
  readonly pollMs: number;
  readonly timeoutMs: number;
  readonly quorum?: { readonly aboveUsd: number; readonly providers: number };
  readonly explorer?: { readonly name?: string; readonly url?: string };
  readonly iconUrl?: string;
}
