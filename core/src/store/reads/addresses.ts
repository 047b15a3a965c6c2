import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { ChainId, RequestId } from '../../contract/ids.js';
import { type Reader, select, selectIn } from './reader.js';

export function addresses(reader: Reader, ids: readonly string[]): Promise<AddressRow[]> {
  return selectIn(reader, 'addresses', 'id', ids);
}

export function addressesOf(reader: Reader, salts: readonly RequestId[]): Promise<AddressRow[]> {
  return selectIn(reader, 'addresses', 'salt', salts);
}

export function addressesAfter(
  reader: Reader,
  chainId: ChainId,
  after: Pick<AddressRow, 'createdAt' | 'id'>,
  limit: number,
): Promise<AddressRow[]> {
  return select(reader, 'addresses', (query) =>
    query
      .where('chain_id', chainId)
      .whereRaw('(created_at, id) > (?, ?)', [after.createdAt, after.id])
      .orderBy(['created_at', 'id'])
      .limit(limit),
  );
}
