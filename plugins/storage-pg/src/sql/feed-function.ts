import type { Names } from './names.js';

/** Most events that one call gives positions to. */
const BATCH = 10_000;

/**
 * Body of `(after bigint, most bigint) returns setof events`: gives committed events their positions, then answers the
 * next of them.
 *
 * A sequence alone would be unsound: numbers are drawn before commits, so an event may become visible with a number that a
 * reader has passed already, and be skipped for ever. Here an event gets its position after its commit, from the next
 * reader, under the lock of the one row of \`feed\`. That lock is held until the positions are committed, and the
 * statement after it sees all that was committed before; so positions become visible in their own order, without gaps.
 *
 * Events of one request keep their order: the change set that writes the later event has seen the commit of the earlier
 * event, hence drew a greater arrival, and no reader places the later event without seeing the earlier.
 *
 * It costs a second write per event, and spares every commit from waiting for the one before it.
 */
export function feedBody(names: Names): string {
  const events = names.table('events');
  const feed = names.table('feed');
  return `
begin
  if exists (select 1 from ${events} where position is null) then
    perform 1 from ${feed} where id = 1 for update;
    with waiting as (
      select arrival, row_number() over (order by arrival) as nth
      from (select arrival from ${events} where position is null order by arrival limit ${BATCH}) as oldest
    ), placed as (
      update ${events} as e set position = f.last + w.nth from waiting as w, ${feed} as f
      where e.arrival = w.arrival and f.id = 1 returning 1
    )
    update ${feed} set last = last + (select count(*) from placed) where id = 1;
  end if;
  return query select * from ${events} where position > after order by position limit most;
end`;
}
