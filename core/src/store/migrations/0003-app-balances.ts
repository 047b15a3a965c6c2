import type { Migration } from './migration.js';

const INDEXES: readonly string[] = [
  'index sponsorships_open on sponsorships (created_at, id) where taken is null',
  'index balance_events_integrator on balance_events (integrator_id, created_at, id)',
];

export const appBalances: Migration = {
  name: '0003-app-balances',
  async up(knex) {
    const sqlite = String(knex.client.config.client) === 'sqlite3';
    await knex.schema.createTable('sponsorships', (table) => {
      table.text('id').primary();
      table.text('request_id').notNullable().unique();
      table.text('integrator_id').notNullable();
      for (const name of ['version', 'created_at']) table.bigInteger(name).notNullable();
      (sqlite ? table.text('amount') : table.decimal('amount', 78, 0)).notNullable();
      if (sqlite) table.text('taken');
      else table.decimal('taken', 78, 0);
      table.bigInteger('ended_at');
      table.text('counters');
    });
    await knex.schema.createTable('balance_events', (table) => {
      table.text('id').primary();
      for (const name of ['integrator_id', 'kind']) table.text(name).notNullable();
      (sqlite ? table.text('amount') : table.decimal('amount', 78, 0)).notNullable();
      table.bigInteger('created_at').notNullable();
      table.bigInteger('chain_id');
      for (const name of ['request_id', 'currency', 'transaction_hash', 'reason']) table.text(name);
    });
    await knex.schema.createTable('sponsor_policies', (table) => {
      table.text('id').primary();
      table.text('policy').notNullable();
      for (const name of ['version', 'updated_at']) table.bigInteger(name).notNullable();
    });
    for (const index of INDEXES) await knex.raw(`create ${index}`);
  },
  async down(knex) {
    for (const name of ['sponsor_policies', 'balance_events', 'sponsorships']) await knex.schema.dropTable(name);
  },
};
