import type { Migration } from './migration.js';

export const swappedDeposits: Migration = {
  name: '0018-swapped-deposits',
  async up(knex) {
    await knex.schema.alterTable('deposits', (table) => {
      table.text('paid_with');
    });
  },
  async down(knex) {
    await knex.raw('alter table deposits drop column paid_with');
  },
};
