import type { Migration } from './migration.js';

export const claims: Migration = {
  name: '0009-claims',
  async up(knex) {
    const amount = knex.client.config.client === 'sqlite3' ? 'text' : 'numeric(78, 0)';
    await knex.raw(`alter table legs add column spent ${amount} not null default '0'`);
    await knex.raw(`alter table legs add column work ${amount}`);
    await knex.raw('alter table legs add column claimed_at bigint');
    await knex.raw(`alter table holds add column transaction_hash text not null default ''`);
    await knex.raw(
      `update holds set transaction_hash = coalesce(
        (select d.transaction_hash from deposits d where d.funding_key = holds.funding_key), '')`,
    );
    await knex.raw('create index holds_transaction on holds (transaction_hash, state, created_at, id)');
    await knex.raw(`create index legs_open on legs (request_id) where state in ('short', 'owed', 'bound', 'blocked')`);
  },
  async down(knex) {
    await knex.raw('drop index legs_open');
    await knex.raw('drop index holds_transaction');
    await knex.raw('alter table holds drop column transaction_hash');
    for (const column of COLUMNS) await knex.raw(`alter table legs drop column ${column}`);
  },
};

const COLUMNS = ['spent', 'work', 'claimed_at'];
