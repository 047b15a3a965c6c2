import { type Column, schemaOf, TABLES, type TableSchema, type UniqueKey } from '@causeway/core/sql';
import { REFUSE_OTHER } from './history.js';
import { type Names, quoted } from './names.js';

/** Raised inside the function to roll its writes back; never leaves it. */
const REFUSED = 'CW001';

const INSERTABLE = TABLES.filter(({ table }) => !['postings', 'pots', 'leases', 'tombstones'].includes(table));
const MUTABLE = INSERTABLE.filter(({ version }) => version !== null);

/**
 * Applies one change set (wire.ts). Returns null when everything was written, else `<step>.<unique key>` of the first
 * refused step, and then nothing was written.
 *
 * Invariant: what a step is judged by stays locked until the commit, and each statement sees what was committed
 * before it began (READ COMMITTED). So each step judges the newest committed state, which no one else can change
 * meanwhile:
 *
 * - update, require: the row, `for no key update` or `for share`;
 * - insert: the unique index; `on conflict do nothing` waits for an uncommitted rival;
 * - post: the unique index on the first line of a group (postings.opens_group);
 * - count: the counter, and the pot that bounds it;
 * - fence: the lease `for key share`. Only a change of holder changes a key of that row (scope, version); prolonging
 *   the lease waits for no fence.
 *
 * Rows and then pots are locked in one global order before any step: otherwise sets that touch the same rows in
 * different orders deadlock, which the server notices only after a second. A missing pot is created empty, because a
 * missing row cannot be locked. A pot that bounds a counter counts as empty while it has no postings, and must stay
 * so. A created pot without a posting is removed at the end, because the existence of a pot means that it was booked.
 *
 * Inserted keys come last, in the order of the steps; their deadlocks are left to the server. All statements are
 * static, so that a session plans each of them once.
 */
export function applyBody(names: Names, watched: boolean): string {
  const pots = names.table('pots');
  return `
declare
  step jsonb;
  patch jsonb;
  nth integer := -1;
  verdict text;
  touched bigint;
  total numeric;
  bound numeric;
  opened text[];
begin${watched ? REFUSE_OTHER : ''}
  for step in select value from jsonb_array_elements(change_set->'locks') loop
    case step->>'t'
${MUTABLE.map((schema) => `    when '${schema.table}' then\n${lockRow(names, schema)}`).join('\n')}
    end case;
  end loop;
  if change_set ? 'pots' then
${lockPots(pots)}
  end if;
  for step in select value from jsonb_array_elements(change_set->'steps') loop
    nth := nth + 1;
    patch := step->'r';
    case step->>'o'
    when 'insert' then
      case step->>'t'
${INSERTABLE.map((schema) => `      when '${schema.table}' then\n${insertRow(names, schema)}`).join('\n')}
      end case;
    when 'update' then
      case step->>'t'
${MUTABLE.map((schema) => `      when '${schema.table}' then\n${updateRow(names, schema)}`).join('\n')}
      end case;
      get diagnostics touched = row_count;
      if touched = 0 then ${refuse("nth || '.0'")} end if;
    when 'require' then
      case step->>'t'
${MUTABLE.map((schema) => `      when '${schema.table}' then\n${requireRow(names, schema)}`).join('\n')}
      end case;
      if not found then ${refuse("nth || '.0'")} end if;
    when 'post' then
${postGroup(names)}
    when 'count' then
      insert into ${pots} (account, amount) values (step->>'k', (step->>'by')::numeric)
        on conflict (account) do update set amount = pots.amount + excluded.amount returning amount into total;
      if total < (step->>'min')::numeric or total > (step->>'max')::numeric then ${refuse("nth || '.0'")} end if;
      if step ? 'pot' then
        select amount into bound from ${pots} where account = step->>'pot' for share;
        if total > coalesce(bound, 0) - (step->>'keep')::numeric then ${refuse("nth || '.0'")} end if;
      end if;
    when 'fence' then
      perform 1 from ${names.table('leases')}
        where scope = step->>'k' and version = (step->>'v')::bigint for key share;
      if not found then ${refuse("nth || '.0'")} end if;
    end case;
  end loop;
  if opened is not null and change_set ? 'bounds' then
    delete from ${pots} where account = any (opened) and change_set->'bounds' ? account;
  end if;
  return null;
exception when sqlstate '${REFUSED}' then
  return verdict;
end`;
}

function refuse(verdict: string): string {
  return `verdict := ${verdict}; raise exception using errcode = '${REFUSED}';`;
}

/** A JSON field as a column value; absent and null both become null. */
function cellOf(json: string, { name, type }: Column): string {
  const text = `${json}->>'${name}'`;
  if (type === 'int') return `(${text})::bigint`;
  if (type === 'big') return `(${text})::numeric`;
  if (type === 'bool') return `(${text})::boolean`;
  return `(${text})`;
}

function keyMatches(schema: TableSchema): string {
  const [column] = schema.key.columns;
  return `${quoted(column!.name)} = ${column!.type === 'int' ? "(step->>'k')::bigint" : "step->>'k'"}`;
}

function lockRow(names: Names, schema: TableSchema): string {
  const rows = `perform 1 from ${names.table(schema.name)} where ${keyMatches(schema)}`;
  return `      if (step->>'w')::boolean then ${rows} for no key update;\n      else ${rows} for share; end if;`;
}

/** `where false`: an existing pot is locked as for an update but not changed. */
function lockPots(pots: string): string {
  return `    with new as (
      insert into ${pots} as p (account, amount)
        select value, 0 from jsonb_array_elements_text(change_set->'pots') order by value collate "C"
        on conflict (account) do update set amount = p.amount where false returning account
    )
    select array_agg(account) into opened from new;`;
}

function requireRow(names: Names, schema: TableSchema): string {
  const where = `${keyMatches(schema)} and version = (step->>'v')::bigint`;
  return `        perform 1 from ${names.table(schema.name)} where ${where} for share;`;
}

/** Columns that the set does not name keep their value; a large text is not even read. */
function updateRow(names: Names, schema: TableSchema): string {
  const sets = schema.columns
    .filter((column) => column !== schema.version && !schema.key.columns.includes(column))
    .map((column) => {
      const name = quoted(column.name);
      return `${name} = case when patch ? '${column.name}' then ${cellOf('patch', column)} else t.${name} end`;
    });
  const where = `t.${keyMatches(schema)} and t.version = (step->>'v')::bigint`;
  return `        update ${names.table(schema.name)} as t set version = t.version + 1, ${sets.join(', ')} where ${where};`;
}

function insertRow(names: Names, schema: TableSchema): string {
  const columns = schema.columns.map((column) => quoted(column.name)).join(', ');
  const values = schema.columns.map((column) => cellOf('patch', column)).join(', ');
  const taken = schema.uniques.map((unique, at) => `when ${exists(names, schema, unique)} then '.${at}'`).join(' ');
  return `        insert into ${names.table(schema.name)} (${columns}) values (${values}) on conflict do nothing;
        get diagnostics touched = row_count;
        if touched = 0 and not step ? 'a' then
          ${refuse(`nth || case ${taken} else '.0' end`)}
        end if;`;
}

function exists(names: Names, schema: TableSchema, { columns, whenNull }: UniqueKey): string {
  const same = columns.map((column) => `${quoted(column.name)} = ${cellOf('patch', column)}`);
  if (whenNull) same.push(`${quoted(whenNull.name)} is null`, `${cellOf('patch', whenNull)} is null`);
  return `exists (select 1 from ${names.table(schema.name)} where ${same.join(' and ')})`;
}

/** All lines of a group are new, or the group is refused. */
function postGroup(names: Names): string {
  const schema = schemaOf('postings');
  const columns = schema.columns.map((column) => quoted(column.name)).join(', ');
  const values = schema.columns.map((column) => cellOf('line', column)).join(', ');
  return `      insert into ${names.table('postings')} (${columns}, opens_group)
        select ${values}, n = 1 from jsonb_array_elements(step->'l') with ordinality as lines (line, n)
        on conflict do nothing;
      get diagnostics touched = row_count;
      if touched <> jsonb_array_length(step->'l') then ${refuse("nth || '.0'")} end if;
      insert into ${names.table('pots')} (account, amount)
        select line->>'account', (line->>'amount')::numeric from jsonb_array_elements(step->'l') as lines (line)
        order by 1
        on conflict (account) do update set amount = pots.amount + excluded.amount;`;
}
