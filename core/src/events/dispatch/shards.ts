/** Leases of the dispatcher. Must never change: endpoints are bound to them. */
export const SHARDS = 8;

export function shardOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return sum % SHARDS;
}

export function shardMark(shard: number): string {
  return `dispatch:${shard}`;
}
