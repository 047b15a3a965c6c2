export interface KnownToken {
  readonly symbol: string;
  readonly name: string;
  readonly address: string;
  readonly decimals: number;
  readonly group: string;
  readonly approveReset?: true;
}

export interface KnownEvmChain {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly network: 'mainnet' | 'testnet';
  readonly blockTimeMs: number;
  /** From inclusion to the `finalized` block at most, with a margin. */
  readonly finalityMs: number;
  readonly explorer: string;
  /** Absent: ether. */
  readonly currency?: { readonly symbol: string; readonly name: string; readonly decimals: 18; readonly group: string };
  readonly wrappedNative?: string;
  readonly dataFee?: 'op-stack' | 'arbitrum';
  readonly tokens: readonly KnownToken[];
}

/** Rollups follow the finality of Ethereum: two epochs of 6.4 minutes, and the time until their batch is there. */
const OF_ETHEREUM = 960_000;
const OF_ROLLUP = 1_800_000;
/** Predeploy of every OP stack chain (specs.optimism.io, predeploys). */
const OP_WETH = '0x4200000000000000000000000000000000000006';

/** Circle's own list of contracts: developers.circle.com/stablecoins/usdc-contract-addresses. */
function usdc(address: string): KnownToken {
  return { symbol: 'USDC', name: 'USD Coin', address, decimals: 6, group: 'usd-coin' };
}

type Facts = Partial<Omit<KnownEvmChain, 'id' | 'name' | 'displayName' | 'explorer'>>;

function chain(id: number, name: string, displayName: string, explorer: string, facts: Facts = {}): KnownEvmChain {
  const usual = { network: 'mainnet', blockTimeMs: 12_000, finalityMs: OF_ETHEREUM, tokens: [] } as const;
  return { ...usual, ...facts, id, name, displayName, explorer };
}

function opStack(id: number, name: string, displayName: string, explorer: string, facts: Facts = {}): KnownEvmChain {
  const usual = { blockTimeMs: 2_000, finalityMs: OF_ROLLUP, wrappedNative: OP_WETH, dataFee: 'op-stack' } as const;
  return chain(id, name, displayName, explorer, { ...usual, ...facts });
}

/**
 * Ids, coins and explorers are those of `viem/chains` (compared by a test). Only chains with transient storage
 * (EIP-1153), which the contracts need, and a data fee that `gas.dataFee` knows.
 */
export const KNOWN_CHAINS: readonly KnownEvmChain[] = [
  chain(1, 'ethereum', 'Ethereum', 'https://etherscan.io', {
    wrappedNative: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    tokens: [
      usdc('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'),
      // tether.to, supported protocols.
      {
        ...{ symbol: 'USDT', name: 'Tether USD', address: '0xdAC17F958D2ee523a2206206994597C13D831ec7' },
        ...{ decimals: 6, group: 'tether', approveReset: true },
      },
    ],
  }),
  opStack(10, 'optimism', 'OP Mainnet', 'https://optimistic.etherscan.io', {
    tokens: [usdc('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85')],
  }),
  chain(100, 'gnosis', 'Gnosis', 'https://gnosisscan.io', {
    blockTimeMs: 5_000,
    currency: { symbol: 'xDAI', name: 'xDAI', decimals: 18, group: 'dai' },
    wrappedNative: '0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d',
  }),
  opStack(130, 'unichain', 'Unichain', 'https://uniscan.xyz', {
    blockTimeMs: 1_000,
    tokens: [usdc('0x078D782b760474a361dDA0AF3839290b0EF57AD6')],
  }),
  chain(137, 'polygon', 'Polygon', 'https://polygonscan.com', {
    ...{ blockTimeMs: 2_000, finalityMs: 300_000 },
    currency: { symbol: 'POL', name: 'POL', decimals: 18, group: 'pol' },
    wrappedNative: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
    tokens: [usdc('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359')],
  }),
  opStack(480, 'worldchain', 'World Chain', 'https://worldscan.org'),
  opStack(690, 'redstone', 'Redstone', 'https://explorer.redstone.xyz'),
  opStack(1135, 'lisk', 'Lisk', 'https://blockscout.lisk.com'),
  opStack(1868, 'soneium', 'Soneium', 'https://soneium.blockscout.com'),
  opStack(8453, 'base', 'Base', 'https://basescan.org', {
    tokens: [usdc('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913')],
  }),
  opStack(34_443, 'mode', 'Mode', 'https://modescan.io'),
  chain(42_161, 'arbitrum', 'Arbitrum One', 'https://arbiscan.io', {
    ...{ blockTimeMs: 250, finalityMs: OF_ROLLUP, dataFee: 'arbitrum' },
    wrappedNative: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
    tokens: [usdc('0xaf88d065e77c8cC2239327C5EDb3A432268e5831')],
  }),
  chain(43_114, 'avalanche', 'Avalanche C-Chain', 'https://snowtrace.io', {
    ...{ blockTimeMs: 2_000, finalityMs: 60_000 },
    currency: { symbol: 'AVAX', name: 'Avalanche', decimals: 18, group: 'avalanche' },
    wrappedNative: '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7',
    tokens: [usdc('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E')],
  }),
  opStack(57_073, 'ink', 'Ink', 'https://explorer.inkonchain.com', { blockTimeMs: 1_000 }),
  opStack(7_777_777, 'zora', 'Zora', 'https://explorer.zora.energy'),
  chain(11_155_111, 'sepolia', 'Sepolia', 'https://sepolia.etherscan.io', {
    network: 'testnet',
    tokens: [usdc('0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238')],
  }),
  opStack(84_532, 'base-sepolia', 'Base Sepolia', 'https://sepolia.basescan.org', {
    network: 'testnet',
    tokens: [usdc('0x036CbD53842c5426634e7929541eC2318f3dCF7e')],
  }),
  chain(421_614, 'arbitrum-sepolia', 'Arbitrum Sepolia', 'https://sepolia.arbiscan.io', {
    ...{ network: 'testnet', blockTimeMs: 250, finalityMs: OF_ROLLUP, dataFee: 'arbitrum' },
    tokens: [usdc('0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d')],
  }),
  opStack(11_155_420, 'op-sepolia', 'OP Sepolia', 'https://optimism-sepolia.blockscout.com', {
    network: 'testnet',
    tokens: [usdc('0x5fd84259d66Cd46123540766Be93DFE6D43130D7')],
  }),
];
