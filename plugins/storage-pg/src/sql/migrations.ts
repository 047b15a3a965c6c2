import type { Migration } from '@causeway/core/sql';

export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'pg-0001-several-writers',
    async up(knex) {
      const statements = [
        // Readers assign positions to committed events; until then an event has only its arrival.
        'alter table events drop constraint events_pkey',
        'alter table events alter column position drop default, alter column position drop not null',
        'drop sequence events_position_seq',
        'alter table events add column arrival bigserial primary key',
        'create unique index events_position on events (position)',
        'create index events_unplaced on events (arrival) where position is null',
        'create table feed (id integer primary key check (id = 1), last bigint not null)',
        'insert into feed (id, last) select 1, coalesce(max(position), 0) from events',
        // One line marks the group, so that it is posted only once, whatever accounts its lines name.
        'alter table postings add column opens_group boolean not null default false',
        'update postings set opens_group = true where (group_id, account) in (select group_id, min(account) from postings group by group_id)',
        'create unique index postings_group on postings (group_id) where opens_group',
        // Makes the token a key, so that only fences and a change of holder exclude each other.
        'create unique index leases_token on leases (scope, version)',
      ];
      for (const statement of statements) await knex.raw(statement);
    },
    async down(knex) {
      const statements = [
        'drop index leases_token',
        'drop index postings_group',
        'alter table postings drop column opens_group',
        'drop table feed',
        'drop index events_unplaced',
        'drop index events_position',
        'update events set position = arrival',
        'alter table events drop column arrival',
        'alter table events alter column position set not null, add primary key (position)',
      ];
      for (const statement of statements) await knex.raw(statement);
    },
  },
];

/**
 * Byte order, whatever the database's locale: cursors and prefixes depend on it. Run after each migration, because a
 * later step may add a column.
 */
export const TEXTS_WITH_A_LOCALE = `
  select c.relname as table_name, a.attname as column_name
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid and c.relkind = 'r'
  join pg_namespace n on n.oid = c.relnamespace and n.nspname = $1
  join pg_collation l on l.oid = a.attcollation and l.collname <> 'C'
  where a.attnum > 0 and not a.attisdropped and a.atttypid = 'text'::regtype
  order by 1, 2`;
