import type { Starter } from '@causeway/core';

interface KnownSvmChain {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly network: 'mainnet' | 'testnet';
  readonly genesisHash: string;
  readonly explorer: string;
  readonly query: string;
  readonly tokens: readonly {
    readonly symbol: string;
    readonly name: string;
    readonly mint: string;
    readonly group: string;
  }[];
}

/**
 * Ids are those that public clients use. Genesis hashes: `getGenesisHash` of the public endpoints. Mints of USDC:
 * developers.circle.com/stablecoins/usdc-contract-addresses; of USDT: tether.to, supported protocols. All have 6 decimals.
 */
const KNOWN_CHAINS: readonly KnownSvmChain[] = [
  {
    ...{ id: 792_703_809, name: 'solana', displayName: 'Solana', network: 'mainnet' },
    genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    ...{ explorer: 'https://solscan.io', query: '' },
    tokens: [
      { symbol: 'USDC', name: 'USD Coin', mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', group: 'usd-coin' },
      { symbol: 'USDT', name: 'Tether USD', mint: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', group: 'tether' },
    ],
  },
  {
    ...{ id: 1_936_682_084, name: 'solana-devnet', displayName: 'Solana Devnet', network: 'testnet' },
    genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
    ...{ explorer: 'https://solscan.io', query: ', queryParams: { cluster: devnet }' },
    tokens: [
      { symbol: 'USDC', name: 'USD Coin', mint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', group: 'usd-coin' },
    ],
  },
];

export const starter: Starter = Object.freeze({
  chains: KNOWN_CHAINS.map(({ id, name, network, tokens }) => ({
    ...{ id, name, network },
    groups: ['solana', ...tokens.map(({ group }) => group)],
  })),
  priceIds: {
    solana: { coingecko: 'solana', coinbase: 'SOL-USD', kraken: 'SOLUSD' },
    'usd-coin': { coingecko: 'usd-coin', kraken: 'USDCUSD' },
    tether: { coingecko: 'tether', coinbase: 'USDT-USD', kraken: 'USDTZUSD' },
  },
  local: {
    optionsYaml: [
      'chains:',
      '  - id: 792703809',
      '    name: local-s',
      '    displayName: Local Solana',
      '    rpc: devnet',
      '    blockTimeMs: 100',
      '    finality:',
      '      tiers:',
      '        - { belowUsd: 100000, depth: 0 }',
      '    currencies:',
      '      - { symbol: USDC, name: USD Coin, address: devnet, decimals: 6, group: usd-coin }',
    ].join('\n'),
    prices: { solana: '150', 'usd-coin': '1' },
  },
  optionsYaml: (chains, rpc, tokens) =>
    [
      '# The fill key holds inventory, sends everything and pays all fees; the vault key owns deposits; deposit addresses',
      '# derive from the addresses key, which must never change, and the sweeper pays for their sweeps.',
      'signers:',
      '  fill: file:./keys/svm-fill.key',
      '  vault: file:./keys/svm-vault.key',
      '  sweeper: file:./keys/svm-sweeper.key',
      '  addresses: file:./keys/svm-addresses.key',
      'chains:',
      ...KNOWN_CHAINS.filter(({ name }) => chains.includes(name)).flatMap((chain) =>
        chainYaml(chain, rpc(chain.name), tokens),
      ),
    ].join('\n'),
} satisfies Starter);

function chainYaml(chain: KnownSvmChain, rpc: string, withTokens: boolean): readonly string[] {
  const { id, name, displayName, genesisHash, explorer, query } = chain;
  const tokens = withTokens ? chain.tokens : [];
  return [
    `  - id: ${id}`,
    `    name: ${name}`,
    `    displayName: ${JSON.stringify(displayName)}`,
    '    rpc:',
    `      - { http: ${JSON.stringify(rpc)} }`,
    '    # Every provider must report this first block.',
    `    genesisHash: ${genesisHash}`,
    `    explorer: { url: ${JSON.stringify(explorer)}${query} }`,
    '    finality:',
    '      # Confirmed deposits count below this value; from it on, they wait for finality.',
    '      tiers:',
    '        - { belowUsd: 1000, depth: 0 }',
    '    # `causeway setup` opens token accounts, makes the lookup table, and prints the line for here:',
    '    # lookupTables: ["…"]',
    ...(tokens.length === 0 ? ['    currencies: []'] : ['    currencies:']),
    ...tokens.map(
      ({ symbol, name: its, mint, group }) =>
        `      - { symbol: ${symbol}, name: ${its}, address: ${mint}, decimals: 6, group: ${group} }`,
    ),
  ];
}
