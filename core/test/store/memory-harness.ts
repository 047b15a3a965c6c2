import { type MemoryStore, memoryStore, type StoreHarness } from '../../src/testing/index.js';
import { clock } from './sqlite-harness.js';

export interface MemoryHarness extends StoreHarness {
  readonly store: MemoryStore;
  reopen(): Promise<MemoryStore>;
  second(): Promise<MemoryStore>;
  crash(): Promise<MemoryStore>;
}

export async function memoryHarness(): Promise<MemoryHarness> {
  let current = memoryStore({ clock });
  await current.open();
  const first = current;
  return {
    store: first,
    async reopen() {
      await current.close();
      current = first.another();
      await current.open();
      return current;
    },
    async crash() {
      current = first.another();
      await current.open();
      return current;
    },
    async second() {
      const store = first.another();
      await store.open();
      return store;
    },
    dispose: () => current.close(),
  };
}
