import type { Knex } from 'knex';
import { rowsOf } from '../reads/reader.js';

/**
 * Columns of `request_listing`, named as their source in requests. A page holds forty of these narrow rows, but only
 * one request.
 */
const COLUMNS: readonly (readonly [name: string, type: string])[] = [
  ['id', 'text not null'],
  ['order_id', 'text not null'],
  ['parent_request_id', 'text'],
  ['status', 'text not null'],
  ['user', 'text not null'],
  ['sender', 'text'],
  ['depositor', 'text'],
  ['recipient', 'text not null'],
  ['deposit_address', 'text'],
  ['fail_reason', 'text'],
  ['refund_fail_reason', 'text'],
  ['key_id', 'text'],
  ['referrer', 'text'],
  ['request_type', 'text not null'],
  ['origin_chain_id', 'bigint not null'],
  ['destination_chain_id', 'bigint not null'],
  ['origin_currency', 'text not null'],
  ['destination_currency', 'text not null'],
  ['origin_symbol', 'text not null'],
  ['destination_symbol', 'text not null'],
  ['features', 'bigint not null'],
  ['amount_usd', 'bigint'],
  ['app_fees_usd', 'bigint'],
  ['fill_time_ms', 'bigint'],
  ['created_at', 'bigint not null'],
  ['updated_at', 'bigint not null'],
];

/** Frequently and rarely changed columns, separately, because every assigned column is indexed again. */
const CHANGES: readonly (readonly string[])[] = [
  ['status', 'updated_at'],
  ['sender', 'depositor', 'deposit_address', 'fail_reason', 'refund_fail_reason', 'fill_time_ms', 'features'],
];

const FACETS = [
  'order_id',
  'status',
  'user',
  'recipient',
  'request_type',
  'origin_chain_id',
  'destination_chain_id',
  'origin_currency',
  'destination_currency',
  'origin_symbol',
  'destination_symbol',
];
const RARE_FACETS = [
  'parent_request_id',
  'sender',
  'depositor',
  'deposit_address',
  'fail_reason',
  'refund_fail_reason',
  'key_id',
  'referrer',
];
const FEATURES = 7;

/** Never change after creation, so that status changes rewrite no index of amounts. */
const AMOUNT_FACETS = ['origin_chain_id', 'destination_chain_id', 'origin_symbol', 'destination_symbol', 'key_id'];
/** As in `search/columns.ts`: an expression, so that planners do not confuse it with the index of all amounts. */
const AMOUNT = '(0 + amount_usd)';
const LATE = ' where (updated_at - created_at) not between 0 and 600000';
const KEYED = ' where key_id is not null';

const quoted = (name: string) => `"${name}"`;

function indexes(): string[] {
  const on = (name: string, columns: string, where = '') =>
    `index listing_${name} on request_listing ${columns}${where}`;
  return [
    'unique index listing_id on request_listing (id)',
    ...['created_at', 'updated_at', 'amount_usd'].map((name) => on(name, `(${name}, id)`)),
    ...FACETS.map((name) => on(name, `(${quoted(name)}, created_at)`)),
    ...RARE_FACETS.map((name) => on(name, `(${name}, created_at)`, ` where ${name} is not null`)),
    ...['app_fees_usd', 'fill_time_ms'].map((name) => on(name, `(${name})`, ` where ${name} is not null`)),
    // With the bit as a value: planners prefer an index for equality to one for order.
    ...Array.from({ length: FEATURES }, (_, n) => `(features & ${2 ** n})`).map((bit, n) =>
      on(`feature_${n}`, `(${bit}, created_at)`, ` where ${bit} = ${2 ** n}`),
    ),
    on('late', '(updated_at, id)', LATE),
    ...AMOUNT_FACETS.map((name) => on(`${name}_amount`, `(${name}, ${AMOUNT}, id)`, name === 'key_id' ? KEYED : '')),
    on('key_updated', '(key_id, updated_at, id)', KEYED),
  ];
}

/**
 * Triggers write the listing in the transaction that writes its request, so the two never differ. Symbols are folded
 * to lower case (ASCII only, as in the C collation).
 */
export async function createListing(knex: Knex): Promise<void> {
  const sqlite = isSqlite(knex);
  const position = sqlite ? 'position integer primary key' : 'position bigserial primary key';
  const columns = COLUMNS.map(([name, type]) => `${quoted(name)} ${type}`);
  await knex.raw(`create table request_listing (${[position, ...columns].join(', ')})`);
  const names = COLUMNS.map(([name]) => quoted(name)).join(', ');
  const values = COLUMNS.map(([name]) => newCell(name, sqlite)).join(', ');
  for (const index of indexes()) await knex.raw(`create ${index}`);
  const table = sqlite ? 'request_listing' : `${await schemaOf(knex)}.request_listing`;
  await trigger(knex, 'listing_insert', 'insert', '', `insert into ${table} (${names}) values (${values})`);
  for (const [at, changed] of CHANGES.entries()) {
    const differ = sqlite ? 'is not' : 'is distinct from';
    const when = changed.map((name) => `new.${name} ${differ} old.${name}`).join(' or ');
    const sets = changed.map((name) => `${name} = new.${name}`).join(', ');
    await trigger(knex, `listing_update_${at}`, 'update', when, `update ${table} set ${sets} where id = new.id`);
  }
}

export async function dropListing(knex: Knex): Promise<void> {
  for (const name of ['listing_insert', ...CHANGES.map((_, at) => `listing_update_${at}`)]) {
    await knex.raw(isSqlite(knex) ? `drop trigger ${name}` : `drop trigger ${name} on requests`);
    if (!isSqlite(knex)) await knex.raw(`drop function causeway_${name}()`);
  }
  await knex.raw('drop table request_listing');
}

function newCell(name: string, sqlite: boolean): string {
  const cell = `new.${quoted(name)}`;
  if (!name.endsWith('_symbol')) return cell;
  return sqlite ? `lower(${cell})` : `lower(${cell} collate "C")`;
}

/** @param when condition for the statement; empty: always. */
async function trigger(knex: Knex, name: string, event: string, when: string, statement: string): Promise<void> {
  if (isSqlite(knex)) {
    const only = when === '' ? '' : ` when (${when})`;
    await knex.raw(`create trigger ${name} after ${event} on requests${only} begin ${statement}; end`);
    return;
  }
  // In the body: columns named in the trigger's own condition could never change their type or collation.
  const body = when === '' ? `${statement};` : `if ${when} then ${statement}; end if;`;
  await knex.raw(
    `create function causeway_${name}() returns trigger language plpgsql as $body$ begin ${body} return null; end $body$`,
  );
  await knex.raw(`create trigger ${name} after ${event} on requests for each row execute function causeway_${name}()`);
}

function isSqlite(knex: Knex): boolean {
  return String(knex.client.config.client) === 'sqlite3';
}

/** Writing sessions may have a different search path. */
async function schemaOf(knex: Knex): Promise<string> {
  const [row] = rowsOf(await knex.raw('select current_schema() as name'));
  return `"${String(row?.['name']).replaceAll('"', '""')}"`;
}
