/** Other networks are configured as differences from one of these. */
export type NetworkName =
  | 'bitcoin'
  | 'bitcoin-testnet'
  | 'bitcoin-testnet4'
  | 'bitcoin-signet'
  | 'bitcoin-regtest'
  | 'litecoin'
  | 'litecoin-testnet'
  | 'litecoin-regtest';

/**
 * Parameters of one chain. The first seven fields are named as in the transaction libraries, which accept a `Network`
 * directly.
 */
export interface Network {
  /** Prefix of signed messages, including its own length. */
  readonly messagePrefix: string;
  /** Lower case. */
  readonly bech32: string;
  readonly bip32: { readonly public: number; readonly private: number };
  readonly pubKeyHash: number;
  readonly scriptHash: number;
  readonly wif: number;
  readonly name: string;
  /** Kind of service that may use it. */
  readonly environment: 'mainnet' | 'testnet' | 'local';

  /** As displayed. Signets share one, and so do later forks. */
  readonly genesis: string;
  /** 8 decimals everywhere. */
  readonly coin: { readonly symbol: string; readonly name: string; readonly group: string };
  /** Nodes accept a replacement with a higher fee. */
  readonly rbf: boolean;
  readonly taproot: boolean;
  /** Satoshis per 1,000 bytes; outputs that cost more to spend are not relayed. */
  readonly dustRelayFee: bigint;
  /** Satoshis per 1,000 vbytes; default of nodes, which report their own. */
  readonly minRelayFee: bigint;
  /** Satoshis per 1,000 vbytes that a replacement adds for its own size. */
  readonly incrementalFee: bigint;
  /** Satoshis, default: smaller deposits are reported only once in a block. */
  readonly poolFloor: bigint;
  readonly opReturnBytes: number;
  /** Weight units that nodes relay. */
  readonly maxWeight: number;
  readonly blockTimeMs: number;
  /** Default number of blocks after a final one. */
  readonly finalityDepth: number;
}

const bitcoin: Network = {
  name: 'bitcoin',
  environment: 'mainnet',
  messagePrefix: '\x18Bitcoin Signed Message:\n',
  bech32: 'bc',
  bip32: { public: 0x0488b21e, private: 0x0488ade4 },
  pubKeyHash: 0x00,
  scriptHash: 0x05,
  wif: 0x80,
  genesis: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  coin: { symbol: 'BTC', name: 'Bitcoin', group: 'bitcoin' },
  rbf: true,
  taproot: true,
  dustRelayFee: 3_000n,
  minRelayFee: 1_000n,
  incrementalFee: 1_000n,
  poolFloor: 10_000n,
  opReturnBytes: 83,
  maxWeight: 400_000,
  blockTimeMs: 600_000,
  finalityDepth: 6,
};

const bitcoinTest = {
  ...bitcoin,
  environment: 'testnet',
  bech32: 'tb',
  bip32: { public: 0x043587cf, private: 0x04358394 },
  pubKeyHash: 0x6f,
  scriptHash: 0xc4,
  wif: 0xef,
} as const satisfies Network;

const litecoin: Network = {
  ...bitcoin,
  name: 'litecoin',
  messagePrefix: '\x19Litecoin Signed Message:\n',
  bech32: 'ltc',
  pubKeyHash: 0x30,
  // Nodes also accept version 5 for the same addresses; one spelling is enough.
  scriptHash: 0x32,
  wif: 0xb0,
  genesis: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
  coin: { symbol: 'LTC', name: 'Litecoin', group: 'litecoin' },
  rbf: false,
  dustRelayFee: 30_000n,
  poolFloor: 1_000_000n,
  blockTimeMs: 150_000,
  finalityDepth: 12,
};

const litecoinTest = {
  ...litecoin,
  environment: 'testnet',
  bech32: 'tltc',
  bip32: bitcoinTest.bip32,
  pubKeyHash: 0x6f,
  scriptHash: 0x3a,
  wif: 0xef,
} as const satisfies Network;

export const NETWORKS: Readonly<Record<NetworkName, Network>> = Object.freeze({
  bitcoin,
  'bitcoin-testnet': {
    ...bitcoinTest,
    name: 'bitcoin-testnet',
    genesis: '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
  },
  'bitcoin-testnet4': {
    ...bitcoinTest,
    name: 'bitcoin-testnet4',
    genesis: '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
  },
  'bitcoin-signet': {
    ...bitcoinTest,
    name: 'bitcoin-signet',
    genesis: '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
  },
  'bitcoin-regtest': {
    ...bitcoinTest,
    name: 'bitcoin-regtest',
    environment: 'local',
    bech32: 'bcrt',
    genesis: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  },
  litecoin,
  'litecoin-testnet': {
    ...litecoinTest,
    name: 'litecoin-testnet',
    genesis: '4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0',
  },
  'litecoin-regtest': {
    ...litecoinTest,
    name: 'litecoin-regtest',
    environment: 'local',
    bech32: 'rltc',
    poolFloor: bitcoin.poolFloor,
    genesis: '530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9',
  },
});
