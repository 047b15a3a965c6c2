import { otherToken, type Pool } from './pool.js';

const MAX_PATHS = 64;

type Place = Pick<Pool, 'address' | 'token0' | 'token1'>;

export class Paths {
  readonly #pools: ReadonlyMap<string, readonly Place[]>;
  readonly #known = new Map<string, readonly (readonly string[])[]>();

  constructor(places: readonly Place[]) {
    const pools = new Map<string, Place[]>();
    for (const place of places)
      for (const token of [place.token0, place.token1]) pools.set(token, [...(pools.get(token) ?? []), place]);
    this.#pools = pools;
  }

  between(input: string, output: string, maxHops: number): readonly (readonly string[])[] {
    const key = `${input}>${output}:${maxHops}`;
    const known = this.#known.get(key);
    if (known) return known;
    const found: (readonly string[])[] = [];
    type Way = { readonly at: string; readonly pools: readonly string[]; readonly seen: ReadonlySet<string> };
    let ways: readonly Way[] = [{ at: input, pools: [], seen: new Set([input]) }];
    for (let hop = 0; hop < maxHops && found.length < MAX_PATHS; hop += 1) {
      const longer: Way[] = [];
      for (const { at, pools, seen } of ways) {
        for (const place of this.#pools.get(at) ?? []) {
          const next = otherToken(place, at);
          if (next === output) found.push([...pools, place.address]);
          else if (!seen.has(next))
            longer.push({ at: next, pools: [...pools, place.address], seen: new Set([...seen, next]) });
        }
      }
      ways = longer;
    }
    const paths = found.slice(0, MAX_PATHS);
    this.#known.set(key, paths);
    return paths;
  }
}
