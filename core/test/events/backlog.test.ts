import { describe, expect, it } from 'vitest';
import type { FeedRow } from '../../src/contract/store.js';
import { StoreUnavailableError } from '../../src/contract/store.js';
import { Backlog, type Gap, type Page } from '../../src/events/feed/backlog.js';
import { eventRow } from '../../src/testing/store-fixtures.js';
import { clock } from '../store/sqlite-harness.js';

const PAGE_SIZE = 500;

/** Events up to `removed` were pruned. */
function outbox(count: number) {
  const state = { removed: 0, broken: false, reads: [] as number[], rests: [] as number[] };
  const backlog = new Backlog<number>({
    clock: {
      monotonic: () => clock.monotonic(),
      sleep: (ms) => {
        state.rests.push(ms);
        return clock.sleep(1);
      },
    },
    end: () => count,
    find: async (events) => events.length,
    store: {
      events: async (after, limit) => {
        if (limit > 1) state.reads.push(after);
        await clock.sleep(1);
        if (state.broken) throw new StoreUnavailableError('locked');
        const first = Math.max(after, state.removed) + 1;
        return Array.from(
          { length: Math.max(0, Math.min(limit, count - first + 1)) },
          (_, n): FeedRow => ({
            ...eventRow(1, { id: `e${first + n}`, sequence: first + n, payload: '{"data":{"referrer":null}}' }),
            position: first + n,
          }),
        );
      },
    },
  });
  return { backlog, state };
}

async function walk(backlog: Backlog<number>, from: number, end: number): Promise<readonly (Page<number> | Gap)[]> {
  const pages: (Page<number> | Gap)[] = [];
  for (let at = from; at < end; at = pages.at(-1)?.to ?? end) pages.push(await backlog.after(at));
  return pages;
}

const positions = (pages: readonly (Page<number> | Gap)[], from: number) =>
  pages
    .flatMap((page) => ('events' in page ? page.events.map(({ position }) => position) : []))
    .filter((one) => one > from);

describe('the reader of what is no longer kept', () => {
  it('reads each page once for all who wait, those who come later from where they are', async () => {
    const { backlog, state } = outbox(4 * PAGE_SIZE);
    const crowd = Array.from({ length: 40 }, (_, n) => walk(backlog, n * 3, 4 * PAGE_SIZE));
    while (state.reads.length < 3) await clock.sleep(1);
    const late = walk(backlog, 10, 4 * PAGE_SIZE);
    for (const [n, pages] of (await Promise.all(crowd)).entries()) {
      expect(positions(pages, n * 3)).toEqual(Array.from({ length: 4 * PAGE_SIZE - n * 3 }, (_, at) => n * 3 + 1 + at));
    }
    expect(positions(await late, 10)).toHaveLength(4 * PAGE_SIZE - 10);
    // One read for the crowd, one for latecomers.
    expect(state.reads.length).toBeLessThanOrEqual(10);
    expect(state.rests.every((ms) => ms >= 1 && ms <= 50)).toBe(true);
  });

  it('says what was removed, also where that is everything', async () => {
    const { backlog, state } = outbox(900);
    state.removed = 700;
    expect(await backlog.after(3)).toEqual({ from: 3, to: 700 });
    expect(await backlog.after(700)).toMatchObject({ from: 700, to: 900, found: 200 });
    state.removed = 900;
    expect(await backlog.after(3)).toEqual({ from: 3, to: 900 });
  });

  it('fails for all who wait when it cannot read, and reads again for who asks then', async () => {
    const { backlog, state } = outbox(900);
    state.broken = true;
    const all = await Promise.allSettled([backlog.after(1), backlog.after(600), backlog.after(2)]);
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    state.broken = false;
    expect(await backlog.after(600)).toMatchObject({ from: 600, to: 900 });
  });

  it('reads nothing any more once it is closed', async () => {
    const { backlog, state } = outbox(900);
    const waiting = [backlog.after(1), backlog.after(700)];
    await backlog.close();
    const reads = state.reads.length;
    expect(await Promise.all(waiting)).toHaveLength(2);
    await clock.sleep(20);
    expect(state.reads).toHaveLength(reads);
  });
});
