import type { Migration } from './migration.js';

export const executions: Migration = {
  name: '0017-executions',
  async up(knex) {
    const amount = knex.client.config.client === 'sqlite3' ? 'text' : 'numeric(78, 0)';
    await knex.schema.createTable('executions', (table) => {
      table.text('id').primary();
      table.bigInteger('version').notNullable();
      table.text('request_id').notNullable();
      table.bigInteger('chain_id').notNullable();
      table.text('transaction_hash').notNullable();
      table.text('state').notNullable();
      table.bigInteger('height');
      table.text('block_id');
      table.bigInteger('block_time');
      for (const column of ['amount_in', 'amount_out', 'fee']) table.specificType(column, amount).notNullable();
      table.bigInteger('seen_at').notNullable();
    });
    await knex.raw('create index executions_request on executions (request_id, seen_at, id)');
    await knex.raw(`create index executions_included on executions (chain_id, height, id) where state = 'included'`);
    await knex.raw('drop index hints_created');
    await knex.raw('create index hints_created on hints (created_at, id)');
  },
  async down(knex) {
    await knex.raw('drop index hints_created');
    await knex.raw('create index hints_created on hints (created_at)');
    await knex.schema.dropTable('executions');
  },
};
