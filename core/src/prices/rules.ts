import type { JumpRules } from './jump-guard.js';

export interface PriceRules extends JumpRules {
  readonly minProviders: number;
  readonly outlierBps: bigint;
}

/** An asset group, or `<chain id>:<currency address>`. */
export interface PricedAsset {
  readonly name: string;
  readonly rules: PriceRules;
}

/**
 * @param links by asset, the assets that its price is quoted in.
 * @throws RangeError when prices go in a circle, naming it.
 */
export function assertNoCircle(links: ReadonlyMap<string, readonly string[]>): void {
  const walk = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) throw new RangeError(`prices go in a circle: ${[...path, name].join(' in ')}`);
    for (const next of links.get(name) ?? []) walk(next, [...path, name]);
  };
  for (const name of links.keys()) walk(name, []);
}
