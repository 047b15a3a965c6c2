import { useState } from 'preact/hooks';
import { Failure, wordsOf } from '../api/failure.js';

export interface Action<A extends readonly unknown[], R> {
  /** Undefined where it failed, or is under way already. */
  run(...args: A): Promise<R | undefined>;
  readonly busy: boolean;
  /** In words; undefined: it did not fail. */
  readonly problem: string | undefined;
  /** The field that the service found at fault. */
  readonly field: string | undefined;
}

/** A change that the visitor asks for, one at a time. */
export function useAction<A extends readonly unknown[], R>(act: (...args: A) => Promise<R>): Action<A, R> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    busy,
    problem: error === undefined ? undefined : wordsOf(error),
    field: error instanceof Failure ? error.field : undefined,
    async run(...args) {
      if (busy) return undefined;
      setBusy(true);
      setError(undefined);
      try {
        return await act(...args);
      } catch (failed) {
        setError(failed);
        return undefined;
      } finally {
        setBusy(false);
      }
    },
  };
}
