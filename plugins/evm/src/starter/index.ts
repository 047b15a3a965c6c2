import type { Starter } from '@causeway/core';
import { KNOWN_CHAINS, type KnownEvmChain } from './known-chains.js';
import { LOCAL } from './local.js';

/** Ids as the price sources list them. */
const PRICE_IDS: Starter['priceIds'] = {
  ether: { coingecko: 'ethereum', coinbase: 'ETH-USD', kraken: 'XETHZUSD' },
  'usd-coin': { coingecko: 'usd-coin', kraken: 'USDCUSD' },
  tether: { coingecko: 'tether', coinbase: 'USDT-USD', kraken: 'USDTZUSD' },
  dai: { coingecko: 'dai', coinbase: 'DAI-USD', kraken: 'DAIUSD' },
  pol: { coingecko: 'polygon-ecosystem-token', coinbase: 'POL-USD', kraken: 'POLUSD' },
  avalanche: { coingecko: 'avalanche-2', coinbase: 'AVAX-USD', kraken: 'AVAXUSD' },
};

export const starter: Starter = Object.freeze({
  chains: KNOWN_CHAINS.map(({ id, name, network, currency, tokens }) => ({
    ...{ id, name, network },
    groups: [currency?.group ?? 'ether', ...tokens.map(({ group }) => group)],
  })),
  priceIds: PRICE_IDS,
  local: LOCAL,
  optionsYaml: (chains, rpc, tokens) =>
    [
      '# The fill key holds inventory, sends what is paid out, and pays all gas; the allocator signs what leaves the',
      '# depository, the sweeper sends what arrives at deposit addresses.',
      'signers:',
      '  fill: file:./keys/evm-fill.key',
      '  allocator: file:./keys/evm-allocator.key',
      '  sweeper: file:./keys/evm-sweeper.key',
      '# Who owns the contracts, e.g. a multisig. Without it the fill key does.',
      '# owner: "0x…"',
      'chains:',
      ...chains.flatMap((name) =>
        chainYaml(
          KNOWN_CHAINS.find((one) => one.name === name),
          rpc(name),
          tokens,
        ),
      ),
    ].join('\n'),
} satisfies Starter);

function chainYaml(chain: KnownEvmChain | undefined, rpc: string, withTokens: boolean): readonly string[] {
  if (chain === undefined) return [];
  const { id, name, displayName, blockTimeMs, finalityMs, explorer, currency, dataFee, wrappedNative } = chain;
  const tokens = withTokens ? chain.tokens : [];
  return [
    `  - id: ${id}`,
    `    name: ${name}`,
    `    displayName: ${JSON.stringify(displayName)}`,
    '    rpc:',
    `      - { http: ${JSON.stringify(rpc)} }`,
    `    blockTimeMs: ${blockTimeMs}`,
    ...(currency === undefined
      ? []
      : [
          `    currency: { symbol: ${currency.symbol}, name: ${currency.name}, decimals: 18, group: ${currency.group} }`,
        ]),
    `    explorer: { url: ${JSON.stringify(explorer)} }`,
    '    # `causeway setup --write` adds depository, router and the others.',
    ...(wrappedNative === undefined
      ? ['    contracts: {}']
      : ['    contracts:', `      wrappedNative: "${wrappedNative}"`]),
    '    finality:',
    `      finalityMs: ${finalityMs}`,
    '      # Blocks that must follow a deposit, by its value. Above all tiers: the `finalized` block.',
    '      tiers:',
    '        - { belowUsd: 1000, depth: 1 }',
    ...(dataFee === undefined ? [] : [`    gas: { dataFee: ${dataFee} }`]),
    ...(tokens.length === 0 ? ['    currencies: []'] : ['    currencies:']),
    ...tokens.map(
      ({ symbol, name: its, address, decimals, group, approveReset }) =>
        `      - { symbol: ${symbol}, name: ${its}, address: "${address}", decimals: ${decimals}, group: ${group}${approveReset ? ', approveReset: true' : ''} }`,
    ),
  ];
}
