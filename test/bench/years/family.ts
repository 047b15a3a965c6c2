export interface Copied {
  readonly table: string;
  readonly ids: readonly string[];
  readonly times: readonly string[];
  readonly of: string;
}

const LEGS =
  'select l.id from legs l where l.request_id = r.id or l.id in (select d.collect_leg_id from deposits d where d.request_id = r.id)';
const ATTEMPTS = `select al.attempt_id from attempt_legs al where al.leg_id in (${LEGS})`;

export const FAMILY: readonly Copied[] = [
  { table: 'quotes', ids: ['id', 'order_id'], times: ['created_at', 'expires_at', 'deadline_at'], of: 't.id = r.id' },
  {
    table: 'requests',
    ids: ['id', 'order_id', 'funding_key'],
    times: ['created_at', 'updated_at', 'deadline_at'],
    of: 't.id = r.id',
  },
  {
    table: 'deposits',
    ids: ['funding_key', 'transaction_hash', 'order_id', 'request_id', 'collect_leg_id'],
    times: ['seen_at', 'block_time'],
    of: 't.request_id = r.id',
  },
  {
    table: 'legs',
    ids: ['id', 'request_id', 'funding_key', 'order_id'],
    times: ['created_at', 'due_at', 'deadline_at', 'included_at'],
    of: `t.id in (${LEGS})`,
  },
  {
    table: 'keys',
    ids: ['id', 'key', 'included_hash'],
    times: ['created_at'],
    of: `t.id in (select a.key_id from attempts a where a.id in (${ATTEMPTS}))`,
  },
  { table: 'attempts', ids: ['id', 'key_id', 'hash'], times: ['signed_at', 'sent_at'], of: `t.id in (${ATTEMPTS})` },
  { table: 'attempt_legs', ids: ['attempt_id', 'leg_id'], times: [], of: `t.leg_id in (${LEGS})` },
  { table: 'transactions', ids: ['id', 'request_id', 'hash'], times: [], of: 't.request_id = r.id' },
  { table: 'events', ids: ['id', 'request_id'], times: ['created_at'], of: 't.request_id = r.id' },
  { table: 'postings', ids: ['group_id', 'request_id', 'leg_id'], times: ['created_at'], of: 't.request_id = r.id' },
];

/** Settled with nothing open. */
export const DONE = `select r.id from requests r where r.status = 'success' and exists (select 1 from deposits d
  where d.request_id = r.id and d.state = 'final' and d.collect_leg_id is not null)
  and not exists (select 1 from legs l where l.id in (${LEGS}) and l.state <> 'done')
  and not exists (select 1 from keys k join attempts a on a.key_id = k.id where a.id in (${ATTEMPTS}) and k.state = 'open')`;
