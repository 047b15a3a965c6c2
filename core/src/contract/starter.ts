/** A public chain that `causeway init` offers by its name. */
export interface KnownChain {
  readonly id: number;
  readonly name: string;
  readonly network: 'mainnet' | 'testnet';
  /** Asset groups of its currencies, native first. */
  readonly groups: readonly string[];
}

/** Ids of an asset at price sources, e.g. `{ coingecko: 'ethereum' }`. */
export type PriceIds = Readonly<Record<string, string>>;

/** Local chains of a family, for `causeway init --local`. */
export interface LocalStarter {
  /** The plugin's options for them, with `devnet` where `causeway dev` fills in, as YAML, not indented. */
  readonly optionsYaml: string;
  /** US dollars of one whole unit by asset group. */
  readonly prices: Readonly<Record<string, string>>;
}

/** The `starter` entry of a chain plugin: what `causeway init` writes for its chains. */
export interface Starter {
  readonly chains: readonly KnownChain[];
  /** By asset group. */
  readonly priceIds: Readonly<Record<string, PriceIds>>;
  /** Absent: the plugin starts no local chains. */
  readonly local?: LocalStarter;
  /**
   * The plugin's options for some of its chains, as YAML with comments, not indented.
   *
   * @param rpc the endpoint's URL by name of chain, which may be `${VARIABLE}`.
   * @param tokens whether to list tokens besides the native coins.
   */
  optionsYaml(chains: readonly string[], rpc: (chain: string) => string, tokens: boolean): string;
}
