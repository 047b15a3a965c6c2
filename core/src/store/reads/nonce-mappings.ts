import type { NonceMappingRow } from '../../contract/nonce-mappings.js';
import { type Reader, selectIn } from './reader.js';

export function nonceMappings(reader: Reader, ids: readonly string[]): Promise<NonceMappingRow[]> {
  return selectIn(reader, 'nonceMappings', 'id', ids);
}
