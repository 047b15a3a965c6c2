import type { Starter } from '@causeway/core';

/** Id: the one that public clients use. The minter of USDT: tether.to, supported protocols. */
const TON = { id: 224_235_520, name: 'ton', displayName: 'TON' } as const;
const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs';

export const starter: Starter = Object.freeze({
  chains: [{ id: TON.id, name: TON.name, network: 'mainnet', groups: ['toncoin', 'tether'] }],
  priceIds: {
    toncoin: { coingecko: 'the-open-network', coinbase: 'TON-USD', kraken: 'TONUSD' },
    tether: { coingecko: 'tether', coinbase: 'USDT-USD', kraken: 'USDTZUSD' },
  },
  local: {
    optionsYaml: [
      'chains:',
      '  - id: 224235520',
      '    name: local-ton',
      '    displayName: Local TON',
      '    rpc: devnet',
      '    blockTimeMs: 1000',
      '    pollMs: 250',
      '    messageLifeS: 30',
      '    jettons:',
      '      - { symbol: USDT, name: Tether USD, address: devnet, decimals: 6, group: tether }',
    ].join('\n'),
    prices: { toncoin: '3', tether: '1' },
  },
  optionsYaml: (_chains, rpc, tokens) =>
    [
      'chains:',
      `  - id: ${TON.id}`,
      `    name: ${TON.name}`,
      `    displayName: ${TON.displayName}`,
      '    # The whole endpoint, such as https://toncenter.com/api/v2/jsonRPC, and the requests a second that it allows.',
      '    rpc:',
      `      - { http: ${JSON.stringify(rpc(TON.name))}, perSecond: 1 }`,
      '    # The fill key holds inventory and pays all fees; the vault key owns deposits; the sweeper sends what arrives at',
      '    # deposit addresses. Each is a wallet (V5R1) that needs coins.',
      '    signers:',
      '      fill: file:./keys/tonvm-fill.key',
      '      vault: file:./keys/tonvm-vault.key',
      '      sweeper: file:./keys/tonvm-sweeper.key',
      '    currency: { symbol: TON, name: Toncoin, decimals: 9, group: toncoin }',
      '    explorer: { url: "https://tonviewer.com" }',
      ...(tokens
        ? ['    jettons:', `      - { symbol: USDT, name: Tether USD, address: ${USDT}, decimals: 6, group: tether }`]
        : ['    jettons: []']),
    ].join('\n'),
} satisfies Starter);
