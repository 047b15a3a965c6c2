import type { Migration } from './migration.js';

export const registeredEndpoints: Migration = {
  name: '0020-registered-endpoints',
  async up(knex) {
    await knex.schema.alterTable('endpoints', (table) => {
      for (const column of ['integrator_id', 'url', 'sealed']) table.text(column);
      table.text('settings').notNullable().defaultTo('{}');
    });
    await knex.schema.alterTable('deliveries', (table) => {
      table.bigInteger('answer_status');
      table.text('answer');
    });
    await knex.raw('create index deliveries_log on deliveries (endpoint_id, position)');
    await knex.raw(
      `create index deliveries_open_log on deliveries (endpoint_id, position) where state in ('due', 'behind', 'again')`,
    );
    await knex.raw(`create index deliveries_failed_log on deliveries (endpoint_id, position) where state = 'failed'`);
    await knex.raw(`create index deliveries_again on deliveries (endpoint_id) where state = 'again'`);
    await knex.raw(`create index endpoints_removed on endpoints (updated_at, id) where state = 'removed'`);
    await knex.raw('drop index deliveries_open');
    await knex.raw(
      `create index deliveries_open on deliveries (request_id, position, id) where state in ('due', 'behind', 'again')`,
    );
  },
  async down(knex) {
    for (const name of [
      'deliveries_log',
      'deliveries_open_log',
      'deliveries_failed_log',
      'deliveries_again',
      'endpoints_removed',
      'deliveries_open',
    ])
      await knex.raw(`drop index ${name}`);
    await knex.raw(
      `create index deliveries_open on deliveries (request_id, position, id) where state in ('due', 'behind')`,
    );
    await knex.schema.alterTable('deliveries', (table) => {
      for (const column of ['answer_status', 'answer']) table.dropColumn(column);
    });
    await knex.schema.alterTable('endpoints', (table) => {
      for (const column of ['integrator_id', 'url', 'sealed', 'settings']) table.dropColumn(column);
    });
  },
};
