import { TransportError } from '@causeway/core/rpc';
import { readable, type TonProvider } from '../../chain/read.js';
import type { TransactionId } from '../../chain/transaction.js';

/** A block of the basechain. */
export interface ShardBlock {
  /** 64-bit shard id in the provider's notation. */
  readonly shard: string;
  readonly seqno: number;
}

export interface Touched extends TransactionId {
  /** Raw. */
  readonly account: string;
}

interface BlockId extends ShardBlock {
  readonly workchain: number;
}

interface Listed {
  readonly incomplete: boolean;
  readonly transactions: readonly { readonly account: string; readonly lt: string; readonly hash: string }[];
}

/** Entries per request, as nodes allow. */
const PAGE_TRANSACTIONS = 256;

/** Newest block of each shard as of a masterchain block: one request. @throws RpcError, TransportError */
export async function shardTops({ rpc, name }: TonProvider, height: number): Promise<readonly ShardBlock[]> {
  const { shards } = await rpc.call<{ readonly shards: readonly BlockId[] }>('shards', { seqno: height });
  return readable(name, () => shards.filter(({ workchain }) => workchain === 0).map(shardBlock));
}

/**
 * Blocks after `before` up to and with `tops`. After a split or merge of a shard, one request for each of its blocks
 * since.
 *
 * @returns undefined where there are more than `most`. @throws RpcError, TransportError
 */
export async function blocksSince(
  provider: TonProvider,
  before: readonly ShardBlock[],
  tops: readonly ShardBlock[],
  most: number,
): Promise<readonly ShardBlock[] | undefined> {
  const known = new Map(before.map(({ shard, seqno }) => [shard, seqno]));
  const found = new Map<string, ShardBlock>();
  const due = [...tops];
  for (let top = due.pop(); top !== undefined; top = due.pop()) {
    const from = known.get(top.shard);
    const isKnown = from !== undefined;
    for (let seqno = isKnown ? from + 1 : top.seqno; seqno <= top.seqno && found.size <= most; seqno += 1)
      found.set(`${top.shard} ${seqno}`, { shard: top.shard, seqno });
    if (found.size > most) return undefined;
    if (isKnown) continue;
    for (const parent of await parentsOf(provider, top))
      if (!found.has(`${parent.shard} ${parent.seqno}`)) due.push(parent);
  }
  return [...found.values()];
}

async function parentsOf({ rpc, name }: TonProvider, block: ShardBlock): Promise<readonly ShardBlock[]> {
  const given = { workchain: 0, ...block };
  const header = await rpc.call<{ readonly prev_blocks: readonly BlockId[] }>('getBlockHeader', given);
  return readable(name, () => header.prev_blocks.map(shardBlock));
}

/** Newest transaction in a block of each account that it touched. @throws RpcError where it is pruned, TransportError */
export async function touchedIn({ rpc, name }: TonProvider, block: ShardBlock): Promise<readonly Touched[]> {
  const newest = new Map<string, Touched>();
  let after: Touched | undefined;
  for (;;) {
    const page = after && { after_lt: after.lt.toString(), after_hash: base64Of(after.account) };
    const answer = await rpc.call<Listed>('getBlockTransactions', {
      workchain: 0,
      ...block,
      count: PAGE_TRANSACTIONS,
      ...page,
    });
    const listed = readable(name, () => answer.transactions.map(touchedOf));
    for (const one of listed) if ((newest.get(one.account)?.lt ?? 0n) < one.lt) newest.set(one.account, one);
    const last = listed.at(-1);
    if (answer.incomplete !== true) return [...newest.values()];
    // Ordered by account and time. Repeating the same page would never end.
    if (last === undefined || (after !== undefined && !isAfter(last, after)))
      throw new TransportError(`${name}: a list of transactions that does not go on`, 'malformed');
    after = last;
  }
}

function isAfter(one: Touched, other: Touched): boolean {
  return one.account === other.account ? one.lt > other.lt : one.account > other.account;
}

function shardBlock({ shard, seqno }: BlockId): ShardBlock {
  if (!/^-?\d{1,20}$/.test(String(shard)) || !Number.isSafeInteger(seqno)) throw new Error('a block without its name');
  return { shard: String(shard), seqno };
}

function touchedOf({ account, lt, hash }: Listed['transactions'][number]): Touched {
  const raw = account.toLowerCase();
  const bytes = Buffer.from(hash, 'base64');
  if (!/^0:[0-9a-f]{64}$/.test(raw) || bytes.length !== 32) throw new Error('a transaction without its name');
  return { account: raw, lt: BigInt(lt), hash: bytes.toString('hex') };
}

function base64Of(raw: string): string {
  return Buffer.from(raw.slice(2), 'hex').toString('base64');
}
