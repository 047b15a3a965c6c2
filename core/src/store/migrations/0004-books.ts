import type { Migration } from './migration.js';

/** For reports of a period. */
export const books: Migration = {
  name: '0004-books',
  async up(knex) {
    await knex.raw('create index postings_created on postings (created_at, group_id, account)');
  },
  async down(knex) {
    await knex.raw('drop index postings_created');
  },
};
