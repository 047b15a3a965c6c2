import type { Migration } from './migration.js';

export const deliveriesOver: Migration = {
  name: '0021-deliveries-over',
  async up(knex) {
    await knex.raw(
      `create index deliveries_over on deliveries (updated_at, id) where state in ('delivered', 'failed')`,
    );
  },
  async down(knex) {
    await knex.raw('drop index deliveries_over');
  },
};
