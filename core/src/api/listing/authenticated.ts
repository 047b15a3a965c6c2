import type { Store } from '../../contract/store.js';
import type { ApiKeyRow, RequestRow } from '../../contract/store-rows.js';
import type { requestRecord } from '../record/request-record.js';

type RequestRecord = ReturnType<typeof requestRecord>;

export type OwnData = (record: RequestRecord, request: RequestRow) => RequestRecord;

export async function ownData(store: Pick<Store, 'apiKeysOf'>, caller: ApiKeyRow | null): Promise<OwnData> {
  if (caller === null) return (record) => record;
  const own = new Map((await store.apiKeysOf(caller.integratorId)).map((key) => [key.id, key.name]));
  return (record, { keyId, referrer }) => {
    const apiKeyName = keyId === null ? undefined : own.get(keyId);
    if (apiKeyName === undefined) return record;
    const { quoted, actual } = record.data.fees;
    return { ...record, data: { ...record.data, referrer, platformFee: (actual ?? quoted).platform, apiKeyName } };
  };
}
