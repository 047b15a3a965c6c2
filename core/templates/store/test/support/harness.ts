import type { Store } from '@causeway/core';
import { registerAlone, type StoreHarness } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';

/** An empty database of its own for each case: another name, or everything removed. */
async function emptyDatabase(): Promise<{ readonly url: string; remove(): Promise<void> }> {
  return { url: 'memory:', remove: async () => undefined };
}

/**
 * To write when the store opens: `second`, another open store on the same data, where several processes may have it, and `crash`, which
 * ends the store as a lost process would. Without them the kit shows less.
 */
export async function harness(): Promise<StoreHarness> {
  const { url, remove } = await emptyDatabase();
  const opened: Store[] = [];
  const open = async (): Promise<Store> => {
    const [store] = registerAlone(plugin, { url }).stores;
    if (store === undefined) throw new Error('the plugin sets no store');
    await store.open();
    opened.push(store);
    return store;
  };
  const store = await open();
  return {
    store,
    reopen: async () => {
      await opened.at(-1)?.close();
      return await open();
    },
    dispose: async () => {
      for (const one of opened) await one.close();
      await remove();
    },
  };
}
