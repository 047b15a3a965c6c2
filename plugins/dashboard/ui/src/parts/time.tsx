import { relative } from '../format.js';
import { createStore, useStore } from '../state/store.js';

const now = createStore(Date.now());
window.setInterval(() => now.set(Date.now()), 1_000);

/** Relative, with the time itself as a title. */
export function Time({ at }: { readonly at: number | string | null }) {
  const current = useStore(now);
  const ms = typeof at === 'string' ? Date.parse(at) : at;
  if (ms === null || !Number.isFinite(ms)) return <span class="muted">–</span>;
  const date = new Date(ms);
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toISOString().replace('T', ' ').replace('Z', ' UTC')}
      class="nowrap"
    >
      {relative(ms, current)}
    </time>
  );
}
