import type { Migration } from './migration.js';

export const earmarks: Migration = {
  name: '0015-earmarks',
  async up(knex) {
    const amount = knex.client.config.client === 'sqlite3' ? 'text' : 'numeric(78, 0)';
    await knex.schema.createTable('earmarks', (table) => {
      table.text('id').primary();
      table.bigInteger('version').notNullable();
      table.text('state').notNullable();
      table.text('key_id').notNullable();
      table.bigInteger('origin_chain_id').notNullable();
      table.bigInteger('chain_id').notNullable();
      table.text('signer').notNullable();
      table.text('currency').notNullable();
      table.specificType('amount', amount).notNullable();
      table.specificType('value', amount).notNullable();
      table.bigInteger('expires_at').notNullable();
      table.bigInteger('deadline_at').notNullable();
      table.bigInteger('created_at').notNullable();
    });
    await knex.raw("create index earmarks_kept on earmarks (expires_at, id) where state = 'kept'");
    await knex.raw("create index earmarks_ended on earmarks (expires_at, id) where state <> 'kept'");
  },
  async down(knex) {
    await knex.schema.dropTable('earmarks');
  },
};
