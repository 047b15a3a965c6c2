import type { SharedRecords } from '../../contract/plugin-routes.js';
import type { Store } from '../../contract/store.js';
import { replaceMeta } from '../../domain/meta-rows.js';
import { apiError } from '../../errors/api-error.js';

const MAX_LENGTH = 65_536;

export type RecordStore = Pick<Store, 'meta' | 'apply'>;

/** Records of one plugin, which no other plugin can name: ids of plugins contain no colon. */
export function sharedRecords(store: RecordStore, owner: string): SharedRecords {
  const rowOf = (name: string) => `plugin:${owner}:${name}`;
  return {
    read: async (name) => (await store.meta(rowOf(name)))?.value,
    change: async (name, change) => {
      const done = await replaceMeta(store, 'plugin.record', rowOf(name), (before) => {
        const value = change(before);
        if (value.length > MAX_LENGTH) throw new Error(`record ${name} is longer than ${MAX_LENGTH} characters`);
        return value;
      });
      if (!done) throw apiError('SERVICE_UNAVAILABLE', 'Others are changing the same, try again');
    },
  };
}
