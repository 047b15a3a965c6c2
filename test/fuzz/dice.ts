export interface Dice {
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** A name with its share of all draws. */
  weighed<T extends string>(shares: Readonly<Record<T, number>>): T;
}

/** sfc32 over a mixed seed: small, fast, and without visible patterns between neighbouring numbers. */
export function dice(seed: number, at: number): Dice {
  let [a, b, c, d] = [mix(seed), mix(at ^ 0x9e3779b9), mix(seed ^ Math.imul(at, 0x85ebca6b)), 1];
  const next = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 2 ** 32;
  };
  for (let warm = 0; warm < 8; warm += 1) next();
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    chance: (probability) => next() < probability,
    pick: (from) => {
      const one = from[int(from.length)];
      if (one === undefined) throw new RangeError('nothing to pick from');
      return one;
    },
    weighed: (shares) => {
      const entries = Object.entries(shares) as [keyof typeof shares, number][];
      let left = next() * entries.reduce((sum, [, share]) => sum + share, 0);
      for (const [name, share] of entries) {
        left -= share;
        if (left < 0) return name;
      }
      return (entries.at(-1) as (typeof entries)[0])[0];
    },
  };
}

function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}
