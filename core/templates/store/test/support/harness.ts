import type { Store } from '@causeway/core';
import { registerAlone, type StoreHarness } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';

/** Creates a separate empty database for each case, for example under another name. */
async function emptyDatabase(): Promise<{ readonly url: string; remove(): Promise<void> }> {
  return { url: 'memory:', remove: async () => undefined };
}

/**
 * To write once the store opens: `second` opens another store on the same data, if the database serves several processes; `crash` ends
 * the store as a killed process would. Without them the kit proves less.
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
