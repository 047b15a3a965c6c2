import type { LocalStarter } from '@causeway/core';

export const LOCAL: LocalStarter = {
  optionsYaml: [
    'chains:',
    ...(
      [
        [31337, 'a'],
        [31338, 'b'],
      ] as const
    ).flatMap(([id, letter]) => [
      `  - id: ${id}`,
      `    name: local-${letter}`,
      `    displayName: Local ${letter.toUpperCase()}`,
      '    rpc: devnet',
      '    blockTimeMs: 1000',
      '    finality:',
      '      tiers:',
      '        - { belowUsd: 100000, depth: 0 }',
      '      depth: 2',
      '      finalityMs: 4000',
      '    currencies:',
      '      - { symbol: USDC, name: USD Coin, address: devnet, decimals: 6, group: usd-coin }',
      '      - { symbol: USDT, name: Tether USD, address: devnet, decimals: 6, group: tether }',
    ]),
  ].join('\n'),
  prices: { ether: '3000', 'usd-coin': '1', tether: '1' },
};
