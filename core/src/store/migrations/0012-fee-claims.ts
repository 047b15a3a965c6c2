import type { Migration } from './migration.js';

export const feeClaims: Migration = {
  name: '0012-fee-claims',
  async up(knex) {
    const amount = knex.client.config.client === 'sqlite3' ? 'text' : 'numeric(78, 0)';
    await knex.schema.createTable('fee_claims', (table) => {
      table.text('id').primary();
      table.text('leg_id').notNullable().unique();
      table.text('wallet').notNullable();
      table.bigInteger('chain_id').notNullable();
      table.text('currency').notNullable();
      table.specificType('amount', amount).notNullable();
      table.text('recipient').notNullable();
      table.bigInteger('created_at').notNullable();
    });
    await knex.raw('create index fee_claims_wallet on fee_claims (wallet, created_at, id)');
  },
  async down(knex) {
    await knex.schema.dropTable('fee_claims');
  },
};
