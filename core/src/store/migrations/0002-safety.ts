import type { Migration } from './migration.js';

export const safety: Migration = {
  name: '0002-safety',
  async up(knex) {
    await knex.schema.createTable('leases', (table) => {
      table.text('scope').primary();
      table.bigInteger('version').notNullable();
      table.text('owner');
      table.bigInteger('expires_at').notNullable();
    });
    await knex.schema.createTable('tombstones', (table) => {
      table.text('order_id').primary();
      for (const name of ['request_id', 'refund_to']) table.text(name).notNullable();
      for (const name of ['origin_chain_id', 'deadline_at', 'created_at']) table.bigInteger(name).notNullable();
      table.text('key_id');
    });
    await knex.schema.alterTable('deposits', (table) => {
      table.text('witnessed');
    });
    // Not through the builder: on SQLite it copies the whole table.
    for (const column of LANE_COLUMNS) await knex.raw(`alter table lanes drop column ${column}`);
  },
  async down(knex) {
    await knex.schema.dropTable('leases');
    await knex.schema.dropTable('tombstones');
    await knex.raw('alter table deposits drop column witnessed');
    await knex.schema.alterTable('lanes', (table) => {
      table.bigInteger('fence').notNullable().defaultTo(0);
      table.text('lease_owner');
      table.bigInteger('lease_until');
    });
  },
};

const LANE_COLUMNS = ['lease_owner', 'lease_until', 'fence'];
