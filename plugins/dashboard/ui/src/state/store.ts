import { useEffect, useState } from 'preact/hooks';

/** A value that components follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** @returns what ends it. */
  follow(listener: () => void): () => void;
}

export function createStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get());
  useEffect(() => {
    const take = () => setValue(() => store.get());
    take();
    return store.follow(take);
  }, [store]);
  return value;
}
