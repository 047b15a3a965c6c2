import type { Migration } from './migration.js';

const LATE = 'where (updated_at - created_at) not between 0 and 600000';

export const lateChanges: Migration = {
  name: '0006-late-changes',
  async up(knex) {
    await knex.raw(`create index listing_late on request_listing (updated_at, id) ${LATE}`);
  },
  async down(knex) {
    await knex.raw('drop index listing_late');
  },
};
