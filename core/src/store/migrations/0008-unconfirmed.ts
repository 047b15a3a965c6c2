import type { Migration } from './migration.js';

/** Deposits without a block: few, and read at every block. */
export const unconfirmed: Migration = {
  name: '0008-unconfirmed',
  async up(knex) {
    await knex.raw(
      `create index deposits_unconfirmed on deposits (chain_id, seen_at, funding_key) where state = 'mempool'`,
    );
  },
  async down(knex) {
    await knex.raw('drop index deposits_unconfirmed');
  },
};
