import type { Migration } from './migration.js';

/** As in `search/drivers.ts`, which walks along them. */
const FACETS = ['origin_chain_id', 'destination_chain_id', 'origin_symbol', 'destination_symbol', 'key_id'];

/** As `search/columns.ts` writes it: an expression, so that no planner takes such an index for that of all amounts. */
const AMOUNT = '(0 + amount_usd)';

/**
 * The largest requests of a chain, a currency or a key. What they are of never changes once a request is made, and
 * neither does its amount: nothing is indexed anew when it moves on.
 */
export const amounts: Migration = {
  name: '0007-amounts',
  async up(knex) {
    for (const facet of FACETS) {
      const where = facet === 'key_id' ? ' where key_id is not null' : '';
      await knex.raw(`create index listing_${facet}_amount on request_listing (${facet}, ${AMOUNT}, id)${where}`);
    }
  },
  async down(knex) {
    for (const facet of FACETS) await knex.raw(`drop index listing_${facet}_amount`);
  },
};
