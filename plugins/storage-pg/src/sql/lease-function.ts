import { REFUSE_OTHER } from './history.js';
import type { Names } from './names.js';

/**
 * Uses the database's time: `(scopes text[], claimant text, ttl bigint) returns table (held_scope text, held_token
 * bigint)`.
 *
 * Races closed here:
 * - Two claimants of one free lease: `for update skip locked` gives it to one; the other skips it.
 * - A change set writing under an expired lease: its fence holds the row, so the lease changes hands only after that
 *   commit, or the fence is refused.
 * - Prolonging must not be skipped because of the holder's own fences: it changes no key of the row, so it waits only
 *   for a rival that is taking the lease over.
 */
export function claimBody(names: Names, watched: boolean): string {
  const leases = names.table('leases');
  return `
#variable_conflict use_column
declare
  at bigint := floor(extract(epoch from clock_timestamp()) * 1000);
begin${watched ? REFUSE_OTHER : ''}
  insert into ${leases} (scope, version, owner, expires_at)
    select wanted, 0, null, 0 from unnest(scopes) as wanted
    where not exists (select 1 from ${leases} where scope = wanted) order by wanted
    on conflict do nothing;
  update ${leases} set expires_at = at + ttl where scope in (
    select scope from ${leases} where scope = any (scopes) and owner = claimant order by scope for no key update
  );
  update ${leases} set owner = claimant, version = version + 1, expires_at = at + ttl where scope in (
    select scope from ${leases}
    where scope = any (scopes) and (owner is null or (owner <> claimant and expires_at <= at))
    order by scope for update skip locked
  );
  return query select scope, version from ${leases} where scope = any (scopes) and owner = claimant order by scope;
end`;
}

/** No one holds the token of a free lease, so late writes of its last holder are refused. */
export function releaseSql(names: Names): string {
  return (
    `update ${names.table('leases')} as l set owner = null, expires_at = 0, version = l.version + 1 ` +
    'from unnest($1::text[], $2::bigint[]) as given (scope, token) ' +
    'where l.scope = given.scope and l.version = given.token and l.owner = $3'
  );
}
