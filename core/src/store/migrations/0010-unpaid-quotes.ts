import type { Migration } from './migration.js';

/**
 * By retention, for callers with and without a key. `prune` sets `paid` when it first meets a quote that became a
 * request, which removes it from both indexes. Null: unknown.
 */
export const unpaidQuotes: Migration = {
  name: '0010-unpaid-quotes',
  async up(knex) {
    await knex.raw('alter table quotes add column paid boolean');
    await knex.raw('drop index quotes_deadline');
    for (const [name, key] of INDEXES) {
      await knex.raw(`create index ${name} on quotes (deadline_at, id) where paid is null and key_id ${key}`);
    }
  },
  async down(knex) {
    for (const [name] of INDEXES) await knex.raw(`drop index ${name}`);
    await knex.raw('alter table quotes drop column paid');
    await knex.raw('create index quotes_deadline on quotes (deadline_at)');
  },
};

const INDEXES = [
  ['quotes_unpaid_anonymous', 'is null'],
  ['quotes_unpaid_keyed', 'is not null'],
] as const;
