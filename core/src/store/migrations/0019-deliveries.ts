import type { Migration } from './migration.js';

export const deliveries: Migration = {
  name: '0019-deliveries',
  async up(knex) {
    await knex.schema.createTable('endpoints', (table) => {
      table.text('id').primary();
      table.bigInteger('version').notNullable();
      table.text('channel').notNullable();
      table.bigInteger('shard').notNullable();
      table.text('state').notNullable();
      table.text('reason');
      table.bigInteger('from_position').notNullable();
      table.bigInteger('failing_since');
      for (const column of ['created_at', 'updated_at']) table.bigInteger(column).notNullable();
    });
    await knex.schema.createTable('deliveries', (table) => {
      table.text('id').primary();
      table.bigInteger('version').notNullable();
      for (const column of ['endpoint_id', 'event_id']) table.text(column).notNullable();
      table.bigInteger('position').notNullable();
      table.text('request_id').notNullable();
      table.bigInteger('sequence').notNullable();
      table.text('state').notNullable();
      for (const column of ['due_at', 'attempts']) table.bigInteger(column).notNullable();
      table.bigInteger('first_tried_at');
      table.text('last_error');
      for (const column of ['created_at', 'updated_at']) table.bigInteger(column).notNullable();
    });
    await knex.raw(`create index deliveries_due on deliveries (endpoint_id, due_at, position, id) where state = 'due'`);
    await knex.raw(
      `create index deliveries_open on deliveries (request_id, position, id) where state in ('due', 'behind')`,
    );
  },
  async down(knex) {
    await knex.schema.dropTable('deliveries');
    await knex.schema.dropTable('endpoints');
  },
};
