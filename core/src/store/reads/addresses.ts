import type { AddressRow } from '../../contract/deposit-addresses.js';
import type { ChainId, RequestId } from '../../contract/ids.js';
import type { PlacedAddress } from '../../contract/store.js';
import { decodeRow, type RawRow } from '../rows.js';
import { type Reader, selectIn } from './reader.js';

export function addresses(reader: Reader, ids: readonly string[]): Promise<AddressRow[]> {
  return selectIn(reader, 'addresses', 'id', ids);
}

export function addressesOf(reader: Reader, salts: readonly RequestId[]): Promise<AddressRow[]> {
  return selectIn(reader, 'addresses', 'salt', salts);
}

export async function addressesAfter(
  reader: Reader,
  chainId: ChainId,
  afterPosition: number,
  limit: number,
): Promise<PlacedAddress[]> {
  const raws: RawRow[] = await reader('addresses')
    .where('chain_id', chainId)
    .where('position', '>', afterPosition)
    .orderBy('position')
    .limit(limit);
  return raws.map((raw) => ({ ...decodeRow('addresses', raw), position: Number(raw['position']) }));
}
