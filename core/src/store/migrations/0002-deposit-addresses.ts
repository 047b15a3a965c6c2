import type { Migration } from './migration.js';

const INDEXES: readonly string[] = [
  'index addresses_salt on addresses (salt)',
  'unique index addresses_id on addresses (id)',
  'index addresses_chain on addresses (chain_id, position)',
  'index deposits_at on deposits (deposit_address) where deposit_address is not null',
  `index deposits_undecided_at on deposits (chain_id, seen_at, funding_key) where deposit_address is not null and decision = 'waiting'`,
  'index idempotency_keys_created on idempotency_keys (created_at)',
  `index deposits_unswept on deposits (chain_id, seen_at, funding_key) where deposit_address is not null and swept_at is null and state in ('included', 'final')`,
];

const UNSETTLED = `status not in ('success', 'refund', 'failure')`;
const PAID_FOR = `(status <> 'waiting' or funding_key is not null)`;

export const depositAddresses: Migration = {
  name: '0002-deposit-addresses',
  async up(knex) {
    await knex.schema.createTable('addresses', (table) => {
      // Order of insertion, for watchers; not a field of the row.
      table.bigIncrements('position');
      for (const name of ['id', 'address', 'salt', 'order_id', 'type']) table.text(name).notNullable();
      for (const name of ['version', 'chain_id', 'created_at', 'hot_until']) table.bigInteger(name).notNullable();
      table.text('key_id');
    });
    await knex.schema.createTable('nonce_mappings', (table) => {
      table.text('id').primary();
      table.text('order_id').notNullable().unique();
      table.text('signature').notNullable();
      for (const name of ['chain_id', 'signature_chain_id', 'created_at']) table.bigInteger(name).notNullable();
    });
    await knex.schema.createTable('idempotency_keys', (table) => {
      table.text('id').primary();
      for (const name of ['fingerprint', 'request_id', 'answer']) table.text(name).notNullable();
      table.bigInteger('created_at').notNullable();
    });
    await knex.schema.alterTable('deposits', (table) => {
      for (const name of ['deposit_address', 'salt', 'sender_nonce']) table.text(name);
      table.bigInteger('swept_at');
    });
    await knex.schema.alterTable('legs', (table) => {
      table.text('joined');
    });
    await knex.raw('drop index requests_unsettled');
    await knex.raw(`create index requests_unsettled on requests (created_at, id) where ${UNSETTLED} and ${PAID_FOR}`);
    for (const index of INDEXES) await knex.raw(`create ${index}`);
  },
  async down(knex) {
    await knex.raw('drop index requests_unsettled');
    await knex.raw(`create index requests_unsettled on requests (created_at, id) where ${UNSETTLED}`);
    for (const name of ['deposits_unswept', 'deposits_undecided_at', 'deposits_at'])
      await knex.raw(`drop index ${name}`);
    await knex.schema.alterTable('deposits', (table) => {
      table.dropColumns('deposit_address', 'salt', 'sender_nonce', 'swept_at');
    });
    await knex.schema.alterTable('legs', (table) => {
      table.dropColumn('joined');
    });
    for (const name of ['idempotency_keys', 'nonce_mappings', 'addresses']) await knex.schema.dropTable(name);
  },
};
