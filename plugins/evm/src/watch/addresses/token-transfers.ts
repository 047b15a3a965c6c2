import type { Hex } from '@causeway/core';
import type { Provider } from '@causeway/core/rpc';
import { isTooMuch } from '../../logs/too-much.js';
import { headerAt, ViewMoved } from '../../logs/view-moved.js';
import type { RpcLog } from '../../rpc/types.js';
import { quantity } from '../../rpc/types.js';
import { wordAddress, wordUint } from '../../words.js';
import { bloomMayContain } from '../bloom.js';
import type { Head } from '../heads.js';
import { TRANSFER_TOPIC, topicOf } from '../plain-transfers.js';
import type { BlockRefs } from './block-refs.js';
import { accountKey, type Shown } from './shown.js';

/** A token's event of a transfer to a watched address. */
export interface TokenTransfer {
  readonly token: string;
  readonly to: string;
  readonly from: string;
  readonly amount: bigint;
  readonly log: RpcLog;
}

/**
 * Transfers of configured tokens to these addresses after block `from`, up to the head, oldest first; undefined if a
 * provider does not return so many.
 *
 * @param addresses a list of at most about a thousand becomes part of the query; otherwise all transfers are read.
 * @throws ViewMoved when the provider is on another fork.
 */
export async function tokenTransfers(
  provider: Provider,
  tokens: readonly Hex[],
  addresses: readonly string[] | { has(address: string): boolean },
  { from, head }: { readonly from: number; readonly head: Head },
): Promise<readonly TokenTransfer[] | undefined> {
  const named = 'has' in addresses ? undefined : addresses;
  if (tokens.length === 0 || named?.length === 0 || from >= head.height) return [];
  const topics = named === undefined ? [TRANSFER_TOPIC] : [TRANSFER_TOPIC, null, named.map(topicOf)];
  const filter = { address: tokens, topics };
  const isOne = from + 1 === head.height;
  const place = isOne ? { blockHash: head.id } : { fromBlock: quantity(from + 1), toBlock: quantity(head.height) };
  try {
    const [logs, last] = await Promise.all([
      provider.rpc.request<readonly RpcLog[]>('eth_getLogs', [{ ...filter, ...place }]),
      // A lagging node behind a shared URL returns no logs at all.
      isOne ? undefined : headerAt(provider, head.height),
    ]);
    if (last !== undefined && last.hash !== head.id)
      throw new ViewMoved(`block ${head.height} is not the head any more`);
    return readTransfers(logs, tokens, 'has' in addresses ? addresses : new Set(addresses));
  } catch (error) {
    if (isTooMuch(error)) return undefined;
    throw error;
  }
}

/** False is certain: no such transfer is in the block. */
export function mayMoveTokens(
  { logsBloom, empty }: Pick<Head, 'logsBloom' | 'empty'>,
  tokens: readonly Hex[],
): boolean {
  if (empty || tokens.length === 0) return false;
  if (logsBloom === undefined || /^0x0*$/.test(logsBloom)) return true;
  return bloomMayContain(logsBloom, TRANSFER_TOPIC) && tokens.some((token) => bloomMayContain(logsBloom, token));
}

/** Ignores other events of unusual tokens. */
function readTransfers(
  logs: readonly RpcLog[],
  tokens: readonly string[],
  addresses: { has(address: string): boolean },
): readonly TokenTransfer[] {
  const found = logs.flatMap((log): readonly TokenTransfer[] => {
    const { topics, data } = log;
    if (topics.length !== 3 || topics[0] !== TRANSFER_TOPIC || data.length !== 66) return [];
    const [token, from, to] = [log.address.toLowerCase(), wordAddress(topics[1]), wordAddress(topics[2]).toLowerCase()];
    const amount = wordUint(data.slice(2));
    if (amount === 0n || !tokens.includes(token) || !addresses.has(to)) return [];
    return [{ token, to, from: from.toLowerCase(), amount, log }];
  });
  return found.sort(
    ({ log: a }, { log: b }) =>
      Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  );
}

/** Transfers by account. An account with a transfer in a block of unknown time is omitted. */
export async function shownTokens(
  transfers: readonly TokenTransfer[],
  refs: BlockRefs,
): Promise<ReadonlyMap<string, readonly Shown[]>> {
  const shown = new Map<string, Shown[]>();
  const unknown = new Set<string>();
  for (const { token, to, from, amount, log } of transfers) {
    const key = accountKey({ address: to, currency: token });
    const block = await refs.of(Number(log.blockNumber), log.blockHash);
    if (block === undefined) unknown.add(key);
    else {
      const own = shown.get(key) ?? [];
      own.push({ amount, transactionHash: log.transactionHash.toLowerCase(), depositor: payerOf(from), block });
      shown.set(key, own);
    }
  }
  for (const key of unknown) shown.delete(key);
  return shown;
}

/** Empty for a mint. */
function payerOf(from: string): string {
  return /^0x0*$/.test(from) ? '' : from;
}
