import { expect } from 'vitest';
import { withKey } from '../../../core/test/api/support/running-api.js';
import type { Ask, Of, Row } from './table.js';
import { END_S, OTHER_KEY, SEEDS, type World } from './world.js';

const CALLERS = { key: withKey.headers, other: { 'x-api-key': OTHER_KEY }, noOne: {} };

export async function play(row: Row, world: World): Promise<void> {
  for (const ask of row.asks ?? []) await judge(ask, world);
  await row.shows?.(world);
}

async function judge(ask: Ask, world: World): Promise<void> {
  const { api, seeds } = world;
  ask.given?.(world);
  try {
    const [method = '', path = ''] = of(ask.call, world).split(' ');
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(of(ask.query ?? {}, world))) search.set(name, String(value));
    // Only the seeds count, unless a row bounds the time itself.
    const lists = ask.finds !== undefined || ask.inOrder !== undefined;
    if (lists && !search.has('endTimestamp') && search.get('sortBy') !== 'updatedAt') {
      search.set('endTimestamp', String(END_S));
    }
    const reply = await api.call(method, search.size > 0 ? `${path}?${search}` : path, {
      headers: { ...CALLERS[ask.as ?? 'key'], ...ask.headers },
      ...('body' in ask ? { body: of(ask.body, world) } : {}),
    });
    const reported = `${method} ${path}?${decodeURIComponent(search.toString())} ${JSON.stringify(reply.body)?.slice(0, 500)}`;
    expect(reply.status, reported).toBe(ask.status ?? 200);
    if (ask.has !== undefined) expect(reply.body, reported).toMatchObject(of(ask.has, world) as object);
    if (lists) {
      const found = (reply.body.requests as readonly { id: string }[]).map(
        ({ id }) => SEEDS.find((seed) => seeds[seed].id === id) ?? id,
      );
      if (ask.inOrder) expect(found, reported).toEqual(ask.inOrder);
      if (ask.finds) expect([...found].sort(), reported).toEqual([...ask.finds].sort());
    }
    await ask.judge?.(reply, world);
  } finally {
    api.reset();
  }
}

function of<T>(value: Of<T>, world: World): T {
  return typeof value === 'function' ? (value as (world: World) => T)(world) : value;
}
