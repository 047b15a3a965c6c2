import type { Migration } from './migration.js';

const FACETS = ['origin_chain_id', 'destination_chain_id', 'origin_symbol', 'destination_symbol', 'key_id'];

/** As in `search/columns.ts`: an expression, so that planners do not confuse it with the index of all amounts. */
const AMOUNT = '(0 + amount_usd)';

/** Indexed fields never change after creation, so status changes rewrite no index. */
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
