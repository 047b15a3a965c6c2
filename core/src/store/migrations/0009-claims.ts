import type { Migration } from './migration.js';

/** What a leg's failures cost and since when it claims, and whether the payer of a deposit is proven. */
export const claims: Migration = {
  name: '0009-claims',
  async up(knex) {
    const amount = knex.client.config.client === 'sqlite3' ? 'text' : 'numeric(78, 0)';
    // Not through the builder: on SQLite it copies the whole table.
    await knex.raw(`alter table legs add column spent ${amount} not null default '0'`);
    await knex.raw('alter table legs add column claimed_at bigint');
    await knex.raw('alter table deposits add column payer text');
  },
  async down(knex) {
    for (const column of ['spent', 'claimed_at']) await knex.raw(`alter table legs drop column ${column}`);
    await knex.raw('alter table deposits drop column payer');
  },
};
