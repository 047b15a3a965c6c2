import type { Names } from './names.js';

/** Maximum events that get positions in one call. */
const BATCH = 10_000;

/**
 * Assigns positions to committed events, then returns the next of them: `(after bigint, most bigint) returns setof
 * events`.
 *
 * A sequence alone is unsound: numbers are drawn before commits, so a reader may pass a number whose event becomes
 * visible later. Here the next reader assigns the position after the commit, under the lock of the one row of
 * \`feed\`, held until the positions are committed. So positions become visible in order, without gaps.
 *
 * Events of one request keep their order: the set that writes the later one has seen the commit of the earlier one,
 * hence drew a greater arrival. Cost: a second write per event; commits do not wait for each other.
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
