/** Options of the plugin as options-schema.ts validates them, defaults filled in. */
export interface TonvmOptions {
  readonly chains: readonly TonvmChainOptions[];
}

export interface TonEndpoint {
  /** The whole endpoint, `…/api/v2/jsonRPC`. */
  readonly http: string;
  /** Key reference of what goes with each request. */
  readonly apiKey?: string;
  readonly perSecond: number;
}

export interface JettonOptions {
  readonly symbol: string;
  readonly name: string;
  /** Its minter. */
  readonly address: string;
  readonly decimals: number;
  readonly group: string;
  /** Nanotons that go with each transfer, of which what is left comes back. */
  readonly attach: string;
  /** Hash of the code of its jetton wallets, hex. */
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
  /** Key references. The local build makes them. */
  readonly signers?: { readonly fill: string; readonly vault: string };
  readonly currency: {
    readonly symbol: string;
    readonly name: string;
    readonly decimals: number;
    readonly group: string;
  };
  readonly jettons: readonly JettonOptions[];
  readonly testOnlyAddresses: boolean;
  readonly blockTimeMs: number;
  /** Of gas and of storage on a local chain. */
  readonly localPrices: 'free' | 'network';
  /** Requests in a second that a local chain answers, and the solver keeps to; absent or 0: all. */
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
