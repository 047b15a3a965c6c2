import type { ChainId, RequestId } from '../../contract/ids.js';
import type { ExecutionRow, HintRow } from '../../contract/store-rows.js';
import { type Reader, select, selectIn } from './reader.js';

/** A literal, as in the partial index. */
const INCLUDED = `state = 'included'`;

export function executions(reader: Reader, ids: readonly string[]): Promise<ExecutionRow[]> {
  return selectIn(reader, 'executions', 'id', ids);
}

export async function executionsOf(reader: Reader, requests: readonly RequestId[]): Promise<ExecutionRow[]> {
  const rows = await selectIn(reader, 'executions', 'request_id', requests);
  return rows.sort((a, b) => a.seenAt - b.seenAt || (a.id < b.id ? -1 : 1));
}

export function executionsAbove(reader: Reader, chainId: ChainId, height: number): Promise<ExecutionRow[]> {
  return select(reader, 'executions', (query) =>
    query.where('chain_id', chainId).whereRaw(INCLUDED).where('height', '>', height).orderBy(['height', 'id']),
  );
}

export function executionsToFinalise(
  reader: Reader,
  chainId: ChainId,
  height: number,
  limit: number,
): Promise<ExecutionRow[]> {
  return select(reader, 'executions', (query) =>
    query
      .where('chain_id', chainId)
      .whereRaw(INCLUDED)
      .where('height', '<=', height)
      .orderBy(['height', 'id'])
      .limit(limit),
  );
}

export function hintsAfter(
  reader: Reader,
  { createdAt, id }: Pick<HintRow, 'createdAt' | 'id'>,
  limit: number,
): Promise<HintRow[]> {
  return select(reader, 'hints', (query) =>
    query
      .whereNotNull('request_id')
      .whereRaw('(created_at, id) > (?, ?)', [createdAt, id])
      .orderBy(['created_at', 'id'])
      .limit(limit),
  );
}
