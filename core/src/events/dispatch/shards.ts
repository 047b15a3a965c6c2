/** Leases that the dispatcher's work is shared under; never another number, since endpoints are bound to them. */
export const SHARDS = 8;

/** The one that an endpoint belongs to, for good. */
export function shardOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return sum % SHARDS;
}

/** Key of the row that says up to which position of the feed a shard has written deliveries. */
export function shardMark(shard: number): string {
  return `dispatch:${shard}`;
}
