import { useState } from 'preact/hooks';

export interface Cursors {
  /** Of the page that is shown; undefined: the first one. */
  readonly current: string | undefined;
  push(next: string): void;
  pop(): void;
  clear(): void;
}

/** The way to a page of a list that only leads on. */
export function useCursors(): Cursors {
  const [all, setAll] = useState<readonly string[]>([]);
  return {
    current: all.at(-1),
    push: (next) => setAll([...all, next]),
    pop: () => setAll(all.slice(0, -1)),
    clear: () => setAll([]),
  };
}

/** Nothing where all is on one page. */
export function Pager({ cursors, next }: { readonly cursors: Cursors; readonly next: string | undefined }) {
  if (next === undefined && cursors.current === undefined) return null;
  return (
    <footer class="row">
      <button type="button" disabled={cursors.current === undefined} onClick={() => cursors.pop()}>
        Newer
      </button>
      <button type="button" disabled={next === undefined} onClick={() => next !== undefined && cursors.push(next)}>
        Older
      </button>
    </footer>
  );
}
