import type { Starter } from '@causeway/core';
import type { NetworkName } from '../network.js';

interface KnownBvmChain {
  readonly id: number;
  readonly name: NetworkName;
  readonly displayName: string;
  readonly network: 'mainnet' | 'testnet';
  readonly explorer: string;
  readonly esplora: string;
}

/** Ids are those that public clients use; `name` is also that of the network's rules (`network.ts`). */
const KNOWN_CHAINS: readonly KnownBvmChain[] = [
  {
    ...{ id: 8_253_038, name: 'bitcoin', displayName: 'Bitcoin', network: 'mainnet' },
    ...{ explorer: 'https://mempool.space', esplora: 'https://mempool.space/api' },
  },
  {
    ...{ id: 9_092_725, name: 'bitcoin-testnet4', displayName: 'Bitcoin Testnet4', network: 'testnet' },
    ...{ explorer: 'https://mempool.space/testnet4', esplora: 'https://mempool.space/testnet4/api' },
  },
];

export const starter: Starter = Object.freeze({
  chains: KNOWN_CHAINS.map(({ id, name, network }) => ({ id, name, network, groups: ['bitcoin'] })),
  priceIds: { bitcoin: { coingecko: 'bitcoin', coinbase: 'BTC-USD', kraken: 'XXBTZUSD' } },
  local: {
    optionsYaml: [
      'chains:',
      '  - id: 8253038',
      '    name: local-btc',
      '    displayName: Local Bitcoin',
      '    network: bitcoin-regtest',
      '    rpc: devnet',
      '    blockTimeMs: 1000',
      '    finality:',
      '      tiers:',
      '        - { belowUsd: 100000, depth: 0 }',
      '      depth: 2',
      '      finalityMs: 6000',
    ].join('\n'),
    prices: { bitcoin: '60000' },
  },
  optionsYaml: (chains, rpc) =>
    [
      '# The fill key holds inventory and pays all fees; the depository key owns deposits; deposit addresses derive from the',
      '# addresses key, which must never change.',
      'signers:',
      '  fill: file:./keys/bvm-fill.key',
      '  depository: file:./keys/bvm-depository.key',
      '  addresses: file:./keys/bvm-addresses.key',
      'chains:',
      ...KNOWN_CHAINS.filter(({ name }) => chains.includes(name)).flatMap(
        ({ id, name, displayName, explorer, esplora }) => [
          `  - id: ${id}`,
          `    name: ${name}`,
          `    displayName: ${displayName}`,
          `    network: ${name}`,
          '    # Your own node, with txindex=1: http://USER:PASSWORD@HOST:PORT',
          '    rpc:',
          `      - { http: ${JSON.stringify(rpc(name))} }`,
          '    # Where the outputs of payers are looked up.',
          `    payers: { esplora: [${JSON.stringify(esplora)}] }`,
          `    explorer: { url: ${JSON.stringify(explorer)} }`,
          '    finality:',
          '      # Blocks that must follow that of a deposit, by its value.',
          '      tiers:',
          '        - { belowUsd: 1000, depth: 0 }',
          '        - { belowUsd: 20000, depth: 1 }',
          '      depth: 6',
          '      # Blocks come when they come: seven of them rarely take longer.',
          '      finalityMs: 12600000',
        ],
      ),
    ].join('\n'),
} satisfies Starter);
