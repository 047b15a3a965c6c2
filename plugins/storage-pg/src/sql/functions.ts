import { createHash } from 'node:crypto';
import { applyBody } from './apply-function.js';
import { feedBody } from './feed-function.js';
import { POSITION } from './history.js';
import { claimBody } from './lease-function.js';
import { literal, type Names } from './names.js';

/**
 * With a server history, `apply` and `claim` take two more: the caller's timeline and a position that the server must
 * have reached.
 */
export interface Calls {
  /** `$1`: the set (wire.ts). One row with `verdict` and `position`. */
  readonly apply: string;
  /** `$1` scopes, `$2` owner, `$3` milliseconds. */
  readonly claim: string;
  readonly feed: string;
}

export interface Functions {
  readonly calls: Calls;
  readonly create: readonly string[];
}

/**
 * Names carry a hash of the text: a newer program never changes a function under an older one on the same database.
 *
 * @param watched where the server has a history to compare with.
 */
export function functions(names: Names, watched: boolean): Functions {
  const known = watched ? ', known_timeline text, known_position pg_lsn' : '';
  const apply = made(names, 'apply', `(change_set jsonb${known}) returns text`, applyBody(names, watched));
  const claim = made(
    names,
    'claim',
    `(scopes text[], claimant text, ttl bigint${known}) returns table (held_scope text, held_token bigint)`,
    claimBody(names, watched),
  );
  const feed = made(
    names,
    'feed',
    `(after bigint, most bigint) returns setof ${names.table('events')}`,
    feedBody(names),
  );
  const given = (first: number) => (watched ? `, $${first}::text, $${first + 1}::pg_lsn` : '');
  const position = watched ? `, ${POSITION} as position` : '';
  return {
    calls: {
      apply: `select ${apply.name}($1::jsonb${given(2)}) as verdict${position}`,
      claim: `select held_scope, held_token${position} from ${claim.name}($1::text[], $2::text, $3::bigint${given(4)})`,
      feed: `select * from ${feed.name}($1::bigint, $2::bigint)`,
    },
    create: [apply.create, claim.create, feed.create],
  };
}

function made(names: Names, subject: string, signature: string, body: string): { name: string; create: string } {
  const text = `${signature} language plpgsql volatile as ${literal(body)}`;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const name = names.table(`causeway_${subject}_${hash}`);
  return { name, create: `create or replace function ${name}${text}` };
}
