import type { Knex } from 'knex';
import { listingFacts } from '../../domain/listing-facts.js';
import type { QuoteBody } from '../../domain/quote.js';
import { rowsOf } from '../reads/reader.js';
import { dropListing, makeListing, OLD_INDEXES } from './0003-listing-table.js';
import type { Migration } from './migration.js';

export const listing: Migration = {
  name: '0003-listing',
  async up(knex) {
    await knex.raw('alter table requests add column features bigint not null default 0');
    for (const name of ['app_fees_usd', 'fill_time_ms']) {
      await knex.raw(`alter table requests add column ${name} bigint`);
    }
    for (const name of ['deposit_address', 'depositor']) {
      await knex.raw(`alter table requests add column ${name} text`);
    }
    await fillFacts(knex);
    await knex.raw(FILL_TIMES);
    await makeListing(knex);
    for (const [name] of OLD_INDEXES) await knex.raw(`drop index ${name}`);
    for (const index of TRANSACTION_INDEXES) await knex.raw(`create ${index}`);
  },
  async down(knex) {
    await dropListing(knex);
    for (const name of ['transactions_block', 'transactions_chain_block']) await knex.raw(`drop index ${name}`);
    for (const [name, columns] of OLD_INDEXES) await knex.raw(`create index ${name} on requests ${columns}`);
    for (const column of COLUMNS) await knex.raw(`alter table requests drop column ${column}`);
  },
};

const COLUMNS = ['features', 'app_fees_usd', 'fill_time_ms', 'deposit_address', 'depositor'];

const TRANSACTION_INDEXES = [
  'index transactions_block on transactions (block, request_id) where block is not null',
  'index transactions_chain_block on transactions (chain_id, block, request_id) where block is not null',
];

/** As in the engine: from the first observation of the deposit to inclusion of the fill that settles it. */
const FILL_TIMES =
  'update requests set fill_time_ms = (' +
  'select max(case when l.included_at > d.seen_at then l.included_at - d.seen_at else 0 end) from legs l ' +
  'join deposits d on d.funding_key = l.funding_key ' +
  `where l.request_id = requests.id and l.kind = 'fill' and l.included_at is not null and l.state in ('bound', 'done'))`;

const BATCH = 500;

async function fillFacts(knex: Knex): Promise<void> {
  await knex.raw('update requests set app_fees_usd = 0');
  for (let after = ''; ; ) {
    const rows = rowsOf(
      await knex.raw('select id, body from requests where id > ? order by id limit ?', [after, BATCH]),
    );
    for (const row of rows) {
      const facts = listingFacts(JSON.parse(String(row['body'])) as QuoteBody);
      if (facts.features === 0 && facts.appFeesUsd === 0) continue;
      await knex('requests')
        .where('id', String(row['id']))
        .update({ features: facts.features, app_fees_usd: facts.appFeesUsd });
    }
    if (rows.length < BATCH) return;
    after = String(rows.at(-1)?.['id']);
  }
}
