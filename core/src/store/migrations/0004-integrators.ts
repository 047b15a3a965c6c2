import type { Migration } from './migration.js';

export const integrators: Migration = {
  name: '0004-integrators',
  async up(knex) {
    await knex.schema.createTable('integrators', (table) => {
      table.text('id').primary();
      table.bigInteger('version').notNullable();
      table.text('name').notNullable();
      table.text('funding_address');
      table.bigInteger('created_at').notNullable();
    });
    await knex.raw('create unique index integrators_funding on integrators (funding_address)');
    await knex.schema.alterTable('api_keys', (table) => {
      table.text('tier').notNullable().defaultTo('default');
      table.text('private_chains').notNullable().defaultTo('[]');
      table.bigInteger('expires_at');
      table.text('replaced_by');
    });
    await knex.raw('create index api_keys_integrator on api_keys (integrator_id, created_at, id)');
    await knex('api_keys').where('scopes', '[]').update({ scopes: '["*"]' });
    await knex.raw(
      'insert into integrators (id, version, name, created_at) ' +
        'select integrator_id, 1, coalesce(min(name), integrator_id), min(created_at) from api_keys group by integrator_id',
    );
  },
  async down(knex) {
    await knex.raw('drop index api_keys_integrator');
    await knex.schema.dropTable('integrators');
    for (const column of KEY_COLUMNS) await knex.raw(`alter table api_keys drop column ${column}`);
  },
};

const KEY_COLUMNS = ['tier', 'private_chains', 'expires_at', 'replaced_by'];
