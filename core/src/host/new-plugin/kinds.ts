export interface PluginKind {
  readonly summary: string;
  readonly layers: readonly string[];
  readonly modules?: readonly string[];
  readonly page: string;
}

/** Everything but a chain is tested next to an in-memory chain. */
const WITH_A_CHAIN = ['common', 'with-a-chain'];

export const PLUGIN_KINDS: Readonly<Record<string, PluginKind>> = {
  chain: {
    summary: 'a chain family: deposits, payouts, evidence',
    layers: ['common', 'chain'],
    modules: ['devnet'],
    page: 'docs/plugins/chain.md',
  },
  notifier: {
    summary: 'notifies a recipient of each change of a request',
    layers: [...WITH_A_CHAIN, 'notifier'],
    page: 'docs/plugins/notifier.md',
  },
  prices: {
    summary: 'a source of USD prices',
    layers: [...WITH_A_CHAIN, 'prices'],
    page: 'docs/plugins/prices.md',
  },
  liquidity: {
    summary: 'a source of swaps on a chain',
    layers: [...WITH_A_CHAIN, 'liquidity'],
    page: 'docs/plugins/liquidity.md',
  },
  screening: {
    summary: 'decides which addresses are blocked',
    layers: [...WITH_A_CHAIN, 'screening'],
    page: 'docs/plugins/screening.md',
  },
  store: {
    summary: 'the database of the service',
    layers: [...WITH_A_CHAIN, 'store'],
    page: 'docs/plugins/store.md',
  },
};

export function kindLines(): string {
  return Object.entries(PLUGIN_KINDS)
    .map(([kind, { summary }]) => `  ${kind.padEnd(10)} ${summary}`)
    .join('\n');
}
