import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { returns } from '../api/connection.js';
import { useStore } from './store.js';

export interface Loaded<T> {
  /** The newest answer, also while another is loading and after a later failure. */
  readonly data: T | undefined;
  readonly error: unknown;
  readonly loading: boolean;
  reload(): void;
}

/**
 * Loads now, again when `key` changes, when the service came back, and every `everyMs` while the page is visible.
 * An answer that comes after that of a later load is dropped.
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>, everyMs = 0): Loaded<T> {
  const [state, setState] = useState<{ key: string; data: T | undefined; error: unknown; loading: boolean }>({
    key,
    data: undefined,
    error: undefined,
    loading: true,
  });
  const [count, setCount] = useState(0);
  const returned = useStore(returns);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => setCount((n) => n + 1), []);

  // `count` and `returned` ask for another load.
  useEffect(() => {
    const abort = new AbortController();
    setState((old) => ({ key, data: old.key === key ? old.data : undefined, error: undefined, loading: true }));
    latest.current(abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setState({ key, data, error: undefined, loading: false });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState((old) => ({ ...old, error, loading: false }));
      },
    );
    return () => abort.abort();
  }, [key, count, returned]);

  useEffect(() => {
    if (everyMs === 0) return undefined;
    const timer = window.setInterval(() => {
      if (!document.hidden) reload();
    }, everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs, reload]);

  return state.key === key ? { ...state, reload } : { data: undefined, error: undefined, loading: true, reload };
}
