import { createIndexes } from './indexes.js';
import { createListing, dropListing } from './listing.js';
import type { Migration } from './migration.js';
import { createTables, dropTables } from './tables.js';

export const initial: Migration = {
  name: '0001-initial',
  async up(knex) {
    await createTables(knex);
    await createIndexes(knex);
    await createListing(knex);
  },
  async down(knex) {
    await dropListing(knex);
    await dropTables(knex);
  },
};
