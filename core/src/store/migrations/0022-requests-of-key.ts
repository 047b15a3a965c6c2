import type { Migration } from './migration.js';

export const requestsOfKey: Migration = {
  name: '0022-requests-of-key',
  async up(knex) {
    await knex.raw(
      'create index listing_key_updated on request_listing (key_id, updated_at, id) where key_id is not null',
    );
  },
  async down(knex) {
    await knex.raw('drop index listing_key_updated');
  },
};
