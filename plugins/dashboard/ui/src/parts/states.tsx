import type { ComponentChildren } from 'preact';
import { wordsOf } from '../api/failure.js';
import type { Loaded } from '../state/use-load.js';

/** Placeholder lines for what is loading. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="body stack" aria-busy="true">
      <span class="hidden-visually">Loading</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} class="skeleton" style={{ width: `${88 - ((at * 23) % 50)}%` }} />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <div class="body">
      <div class="note bad row" role="alert">
        <span class="grow">{wordsOf(error)}</span>
        {retry && (
          <button type="button" class="tight" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/** What has loaded; else a skeleton or the problem. A later failure leaves what has loaded in place, below the problem. */
export function Show<T>({
  of,
  lines,
  children,
}: {
  readonly of: Loaded<T>;
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
}) {
  if (of.data === undefined)
    return of.error ? <Problem error={of.error} retry={of.reload} /> : <Skeleton lines={lines ?? 4} />;
  return (
    <>
      {of.error ? <Problem error={of.error} retry={of.reload} /> : null}
      {children(of.data)}
    </>
  );
}
