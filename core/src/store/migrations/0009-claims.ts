import type { Migration } from './migration.js';

/** What a leg claims since when, the work that it may take, and what its failures cost. */
export const claims: Migration = {
  name: '0009-claims',
  async up(knex) {
    const amount = knex.client.config.client === 'sqlite3' ? 'text' : 'numeric(78, 0)';
    // Not through the builder: on SQLite it copies the whole table.
    await knex.raw(`alter table legs add column spent ${amount} not null default '0'`);
    await knex.raw(`alter table legs add column work ${amount}`);
    await knex.raw('alter table legs add column claimed_at bigint');
    await knex.raw(`create index legs_open on legs (request_id) where state in ('short', 'owed', 'bound', 'blocked')`);
  },
  async down(knex) {
    await knex.raw('drop index legs_open');
    for (const column of COLUMNS) await knex.raw(`alter table legs drop column ${column}`);
  },
};

const COLUMNS = ['spent', 'work', 'claimed_at'];
