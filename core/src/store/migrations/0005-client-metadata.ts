import type { Migration } from './migration.js';

export const clientMetadata: Migration = {
  name: '0005-client-metadata',
  async up(knex) {
    await knex.schema.createTable('client_metadata', (table) => {
      table.text('request_id').primary();
      table.text('metadata').notNullable();
      table.bigInteger('created_at').notNullable();
    });
  },
  async down(knex) {
    await knex.schema.dropTable('client_metadata');
  },
};
