import { describe, expect, it } from 'vitest';
import type { DeliveryRow, EndpointRow } from '../../src/contract/index.js';
import type { FeedRow } from '../../src/contract/store.js';
import { type Outcome, planTurn, type Turn } from '../../src/events/dispatch/plan-turn.js';
import { GIVE_UP_AFTER_MS } from '../../src/events/dispatch/schedule.js';
import { requestId } from '../../src/testing/store-fixtures.js';

const NOW = 1_700_000_000_000;

const endpoint = (id: string, over: Partial<EndpointRow> = {}): EndpointRow => ({
  ...{ id, version: 1, channel: 'post', shard: 0, state: 'active', reason: null, fromPosition: 0 },
  ...{ failingSince: null, createdAt: NOW, updatedAt: NOW },
  ...{ integratorId: null, url: null, settings: '{}', sealed: null },
  ...over,
});

const event = (position: number, request: number, sequence: number): FeedRow => ({
  ...{ position, id: `${request}:${sequence}`, requestId: requestId(request), sequence },
  ...{ kind: 'request.status.updated', payload: '{}', createdAt: NOW },
});

const delivery = (to: string, position: number, request: number, sequence: number, over: Partial<DeliveryRow> = {}) => {
  const { id: eventId, requestId: id } = event(position, request, sequence);
  const row: DeliveryRow = {
    ...{ id: `${to}/${eventId}`, version: 1, endpointId: to, eventId, position, requestId: id, sequence, state: 'due' },
    ...{ dueAt: NOW, attempts: 0, firstTriedAt: null, lastError: null, createdAt: NOW, updatedAt: NOW },
    ...{ answerStatus: null, answer: null },
  };
  return { ...row, ...over };
};

const tried = (row: DeliveryRow, outcome: Outcome, at = NOW) => {
  const { id: deliveryId, endpointId, requestId: request, position, attempts } = row;
  return { deliveryId, endpointId, requestId: request, position, attempts, outcome, at };
};

const TAKEN: Outcome = { kind: 'delivered' };
const later = (dueAt: number): Outcome => ({ kind: 'retry', dueAt, why: 'answered 500' });

function plan(turn: Partial<Turn>) {
  const endpoints = turn.endpoints ?? new Map([['a', endpoint('a')]]);
  return planTurn({ events: [], tried: [], open: [], wants: () => true, now: NOW, ...turn, endpoints });
}

/** Inserts and delivery updates by id. */
function written({ changes }: ReturnType<typeof planTurn>) {
  return changes.flatMap((change) => {
    if (change.op === 'insert' && change.table === 'deliveries') return [[change.row.id, change.row.state]];
    if (change.op === 'update' && change.table === 'deliveries') return [[change.key.id, change.set.state ?? 'same']];
    return [];
  });
}

describe('a turn of the dispatcher', () => {
  it('takes each event for each endpoint that began before it', () => {
    const endpoints = new Map([
      ['a', endpoint('a')],
      ['b', endpoint('b', { fromPosition: 7 })],
    ]);
    const planned = plan({ endpoints, events: [event(7, 1, 1), event(8, 2, 1)] });
    expect(written(planned)).toEqual([
      ['a/1:1', 'due'],
      ['a/2:1', 'due'],
      ['b/2:1', 'due'],
    ]);
    expect(planned.due.map((one) => [one.delivery.id, one.event.position])).toEqual([
      ['a/1:1', 7],
      ['a/2:1', 8],
      ['b/2:1', 8],
    ]);
  });

  it('writes what was reported ahead of it with what came of it', () => {
    const events = [event(1, 1, 1), event(2, 1, 2), event(3, 2, 1), event(4, 2, 2), event(5, 3, 1)];
    const reported = (position: number, request: number, outcome: Outcome) =>
      tried(delivery('a', position, request, 1), outcome);
    const planned = plan({
      events,
      tried: [
        reported(1, 1, TAKEN),
        reported(3, 2, later(NOW + 9)),
        reported(5, 3, { kind: 'gone', why: 'answered 410' }),
      ],
    });
    expect(written(planned)).toEqual([
      ['a/1:1', 'delivered'],
      ['a/1:2', 'due'],
      ['a/2:1', 'due'],
      ['a/2:2', 'behind'],
      ['a/3:1', 'due'],
    ]);
    expect(planned.due.map(({ delivery: { id } }) => id)).toEqual(['a/1:2']);
    expect(planned.later.get('a')).toBe(NOW + 9);
    const rows = planned.changes.flatMap((change) =>
      change.op === 'insert' && change.table === 'deliveries' ? [change.row] : [],
    );
    expect(rows.map(({ attempts, lastError }) => [attempts, lastError])).toEqual([
      [1, null],
      [0, null],
      [1, 'answered 500'],
      [0, null],
      [1, 'answered 410'],
    ]);
    expect(planned.endpoints).toMatchObject([{ id: 'a', state: 'disabled' }]);
  });

  it('begins no further event once it has a thousand deliveries to write, and says where it ended', () => {
    const endpoints = new Map(Array.from({ length: 300 }, (_, n) => [`e${n}`, endpoint(`e${n}`)] as const));
    const events = Array.from({ length: 9 }, (_, n) => event(10 + n, n, 1));
    const first = plan({ endpoints, events });
    expect([first.due.length, first.last?.position]).toEqual([1_200, 13]);
    expect(plan({ endpoints, events: events.slice(4) }).last?.position).toBe(17);
    expect(plan({ endpoints, events: events.slice(8) })).toMatchObject({ last: { position: 18 } });
    expect(plan({ endpoints }).last).toBeUndefined();
    const crowd = new Map(Array.from({ length: 1_001 }, (_, n) => [`e${n}`, endpoint(`e${n}`)] as const));
    expect(plan({ endpoints: crowd, events }).last?.position).toBe(10);
  });

  it('puts an event behind those of its request that are not over, of the same page and of earlier ones', () => {
    const open = [delivery('a', 1, 1, 1, { dueAt: NOW + 5_000, attempts: 3 })];
    const planned = plan({ open, events: [event(8, 1, 2), event(9, 2, 1), event(10, 2, 2)] });
    expect(written(planned)).toEqual([
      ['a/1:2', 'behind'],
      ['a/2:1', 'due'],
      ['a/2:2', 'behind'],
    ]);
    expect(planned.due.map((one) => one.delivery.id)).toEqual(['a/2:1']);
  });

  it('makes the next one of a request due with the change that ends the one before', () => {
    const [first, second] = [delivery('a', 1, 1, 1), delivery('a', 2, 1, 2, { state: 'behind' })];
    const third = delivery('a', 3, 1, 3, { state: 'behind' });
    const planned = plan({ open: [first, second, third], tried: [tried(first, TAKEN)] });
    expect(written(planned)).toEqual([
      ['a/1:1', 'delivered'],
      ['a/1:2', 'due'],
    ]);
    expect([...planned.later]).toEqual([['a', NOW]]);
  });

  it('finds in one turn that the one before ended and that another one came', () => {
    const first = delivery('a', 1, 1, 1);
    expect(written(plan({ open: [first], tried: [tried(first, TAKEN)], events: [event(2, 1, 2)] }))).toEqual([
      ['a/1:2', 'due'],
      ['a/1:1', 'delivered'],
    ]);
    expect(written(plan({ open: [first], tried: [tried(first, later(NOW + 1))], events: [event(2, 1, 2)] }))).toEqual([
      ['a/1:2', 'behind'],
      ['a/1:1', 'same'],
    ]);
  });

  it('waits with a delivery that failed, and with it those behind it', () => {
    const [first, second] = [delivery('a', 1, 1, 1), delivery('a', 2, 1, 2, { state: 'behind' })];
    const planned = plan({ open: [first, second], tried: [tried(first, later(NOW + 5_000), NOW - 3)] });
    const tries = { attempts: 1, firstTriedAt: NOW - 3, dueAt: NOW + 5_000, lastError: 'answered 500', updatedAt: NOW };
    const set = { ...tries, answerStatus: null, answer: null };
    expect(planned.changes).toContainEqual({
      ...{ op: 'update', table: 'deliveries', key: { id: 'a/1:1' }, version: 1, set },
    });
    expect(written(planned)).toEqual([['a/1:1', 'same']]);
    expect([...planned.later]).toEqual([['a', NOW + 5_000]]);
  });

  it('gives a delivery up after three days, reports it, and goes on with the next', () => {
    const first = delivery('a', 1, 1, 1, { attempts: 20, firstTriedAt: NOW - GIVE_UP_AFTER_MS });
    const second = delivery('a', 2, 1, 2, { state: 'behind' });
    const planned = plan({ open: [first, second], tried: [tried(first, later(NOW + 1))] });
    expect(written(planned)).toEqual([
      ['a/1:1', 'failed'],
      ['a/1:2', 'due'],
    ]);
    expect(planned.givenUp.map(({ id, lastError }) => [id, lastError])).toEqual([['a/1:1', 'answered 500']]);
    const young = { ...first, firstTriedAt: NOW - GIVE_UP_AFTER_MS + 1 };
    expect(plan({ open: [young], tried: [tried(young, later(NOW + 1))] }).givenUp).toEqual([]);
  });

  it('disables an endpoint that wants nothing any more, or took nothing for three days, and keeps what it is owed', () => {
    const one = delivery('a', 1, 1, 1);
    const gone = plan({ open: [one], tried: [tried(one, { kind: 'gone', why: 'answered 410' })] });
    expect(gone.endpoints).toMatchObject([{ id: 'a', state: 'disabled', reason: 'answered 410', version: 2 }]);
    expect(written(gone)).toEqual([['a/1:1', 'same']]);

    const since = (failingSince: number | null) => new Map([['a', endpoint('a', { failingSince })]]);
    const fails = [tried(one, later(NOW + 1), NOW - 9)];
    const health = (endpoints: Turn['endpoints'], tries = fails) =>
      plan({ endpoints, open: [one], tried: tries }).endpoints.map(({ state, failingSince }) => [state, failingSince]);
    expect(health(since(null))).toEqual([['active', NOW - 9]]);
    expect(health(since(NOW - GIVE_UP_AFTER_MS + 1))).toEqual([]);
    expect(health(since(NOW - GIVE_UP_AFTER_MS))).toEqual([['disabled', NOW - GIVE_UP_AFTER_MS]]);
    expect(health(since(NOW - GIVE_UP_AFTER_MS), [...fails, tried(one, TAKEN)])).toEqual([['active', null]]);
    expect(health(since(null), [tried(one, TAKEN)])).toEqual([]);
  });

  it('goes on collecting for an endpoint that is disabled', () => {
    const endpoints = new Map([['a', endpoint('a', { state: 'disabled', reason: 'answered 410' })]]);
    expect(written(plan({ endpoints, events: [event(8, 1, 1)] }))).toEqual([['a/1:1', 'due']]);
  });

  it('counts a try once, however often it is written, and looks again when what was written says', () => {
    const before = delivery('a', 1, 1, 1, { attempts: 3, firstTriedAt: NOW - 9 });
    const failed = tried(before, later(NOW + 5_000));
    const [change] = plan({ open: [before], tried: [failed] }).changes;
    expect(change).toMatchObject({ set: { attempts: 4, dueAt: NOW + 5_000 } });
    // Written, answer lost: the same try is written again.
    const after = { ...before, attempts: 4, dueAt: NOW + 5_000 };
    const again = plan({ open: [after], tried: [failed], now: NOW + 1_000 });
    expect(written(again)).toEqual([]);
    expect([...again.later]).toEqual([['a', NOW + 5_000]]);
    // Its request's next event is pending.
    const next = delivery('a', 2, 1, 2, { dueAt: NOW + 3 });
    const taken = plan({ open: [next], tried: [tried(before, TAKEN)] });
    expect(written(taken)).toEqual([]);
    expect([...taken.later]).toEqual([['a', NOW + 3]]);
  });

  it('does not take a try from before a replay for one of after it', () => {
    const tries = delivery('a', 1, 1, 1, { attempts: 2, firstTriedAt: NOW - 9 });
    const fromTheBeginning = { ...tries, attempts: 0, firstTriedAt: null };
    expect(written(plan({ open: [fromTheBeginning], tried: [tried(tries, TAKEN)] }))).toEqual([]);
  });

  it('records nothing of a try that another account dealt with, and inserts nothing twice', () => {
    const one = delivery('a', 1, 1, 1);
    expect(plan({ tried: [tried(one, TAKEN)] }).changes).toEqual([]);
    expect(written(plan({ open: [one], events: [event(1, 1, 1)] }))).toEqual([]);
  });
});
