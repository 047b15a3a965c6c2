import type { Knex } from 'knex';
import type { Migration } from './migration.js';

/** 78 digits hold any 256-bit number. SQLite lacks such a type and stores decimal text. */
function amount(table: Knex.CreateTableBuilder, name: string, dialect: string): Knex.ColumnBuilder {
  return dialect === 'sqlite3' ? table.text(name) : table.decimal(name, 78, 0);
}

type Build = (table: Knex.CreateTableBuilder, big: (name: string) => Knex.ColumnBuilder) => void;

type Columns = (table: Knex.CreateTableBuilder, ...names: string[]) => void;

const texts: Columns = (table, ...names) => {
  for (const name of names) table.text(name).notNullable();
};
const ints: Columns = (table, ...names) => {
  for (const name of names) table.bigInteger(name).notNullable();
};
const maybeTexts: Columns = (table, ...names) => {
  for (const name of names) table.text(name);
};
const maybeInts: Columns = (table, ...names) => {
  for (const name of names) table.bigInteger(name);
};

const TABLES: readonly (readonly [name: string, build: Build])[] = [
  [
    'quotes',
    (table) => {
      table.text('id').primary();
      texts(table, 'order_id', 'user', 'recipient', 'network', 'body');
      ints(table, 'created_at', 'expires_at', 'deadline_at', 'origin_chain_id', 'destination_chain_id');
      maybeInts(table, 'ttl_at', 'amount_usd');
      maybeTexts(table, 'key_id', 'referrer', 'parent_request_id');
    },
  ],
  [
    'requests',
    (table) => {
      table.text('id').primary();
      texts(table, 'order_id', 'status', 'user', 'recipient', 'origin_currency', 'destination_currency');
      texts(table, 'origin_symbol', 'destination_symbol', 'request_type', 'network', 'body');
      ints(
        table,
        'version',
        'event_count',
        'origin_chain_id',
        'destination_chain_id',
        'created_at',
        'updated_at',
        'deadline_at',
      );
      maybeTexts(table, 'parent_request_id', 'sender', 'refund_to', 'key_id', 'referrer', 'funding_key');
      maybeTexts(table, 'fail_reason', 'refund_fail_reason', 'failed', 'actual', 'details');
      maybeInts(table, 'amount_usd');
    },
  ],
  [
    'deposits',
    (table, big) => {
      table.text('funding_key').primary();
      texts(table, 'transaction_hash', 'currency', 'depositor', 'state', 'request_id', 'decision');
      ints(table, 'version', 'chain_id', 'seen_at', 'value_usd');
      big('amount').notNullable();
      big('collectable');
      maybeTexts(table, 'order_id', 'block_id', 'collect_leg_id');
      maybeInts(table, 'height', 'block_time');
    },
  ],
  [
    'legs',
    (table, big) => {
      table.text('id').primary();
      texts(table, 'kind', 'state', 'signer', 'currency', 'recipient');
      ints(table, 'version', 'chain_id', 'deadline_at', 'due_at', 'created_at');
      big('amount').notNullable();
      big('covers').notNullable();
      maybeTexts(table, 'request_id', 'funding_key', 'order_id', 'key', 'reason');
      maybeInts(table, 'included_at');
    },
  ],
  [
    'keys',
    (table) => {
      table.text('id').primary();
      texts(table, 'signer', 'key', 'state');
      ints(table, 'version', 'chain_id', 'attempt_count', 'created_at');
      table.boolean('closing').notNullable();
      maybeTexts(table, 'included_hash', 'inclusion');
      maybeInts(table, 'included_height', 'first_sent_at', 'last_sent_at', 'last_sent_height');
    },
  ],
  [
    'attempts',
    (table) => {
      table.text('id').primary();
      table.text('key_id').notNullable().references('id').inTable('keys');
      texts(table, 'signer', 'hash', 'bytes', 'fees', 'state');
      ints(table, 'version', 'chain_id', 'n', 'signed_at');
      maybeInts(table, 'sent_at');
      maybeTexts(table, 'message');
    },
  ],
  [
    'attempt_legs',
    (table) => {
      table.text('attempt_id').notNullable().references('id').inTable('attempts');
      table.text('leg_id').notNullable().references('id').inTable('legs');
      table.primary(['attempt_id', 'leg_id']);
    },
  ],
  [
    'lanes',
    (table) => {
      table.text('id').primary();
      texts(table, 'signer', 'position');
      ints(table, 'version', 'chain_id', 'fence');
      maybeTexts(table, 'halted', 'lease_owner');
      maybeInts(table, 'lease_until');
    },
  ],
  [
    'cursors',
    (table) => {
      table.bigInteger('chain_id').primary();
      ints(table, 'version', 'head_height', 'head_time', 'final_height', 'final_time');
      texts(table, 'cursor');
    },
  ],
  [
    'postings',
    (table, big) => {
      texts(table, 'group_id', 'account');
      big('amount').notNullable();
      maybeTexts(table, 'request_id', 'leg_id');
      ints(table, 'created_at');
      table.primary(['group_id', 'account']);
    },
  ],
  [
    'pots',
    (table, big) => {
      table.text('account').primary();
      big('amount').notNullable();
    },
  ],
  [
    'events',
    (table) => {
      table.bigIncrements('position');
      texts(table, 'id', 'request_id', 'kind', 'payload');
      ints(table, 'sequence', 'created_at');
    },
  ],
  [
    'transactions',
    (table) => {
      // Order of arrival, for the describer; not a field of the row.
      table.bigIncrements('position');
      texts(table, 'id', 'request_id', 'role', 'hash', 'status');
      ints(table, 'version', 'chain_id');
      maybeInts(table, 'block', 'timestamp');
      maybeTexts(table, 'entry');
    },
  ],
  [
    'api_keys',
    (table) => {
      table.text('id').primary();
      texts(table, 'prefix', 'hash', 'integrator_id', 'scopes');
      ints(table, 'version', 'created_at');
      maybeTexts(table, 'name');
      maybeInts(table, 'revoked_at');
    },
  ],
  [
    'pauses',
    (table) => {
      table.text('scope').primary();
      ints(table, 'version', 'changed_at');
      table.boolean('paused').notNullable();
      maybeTexts(table, 'reason');
    },
  ],
  [
    'hints',
    (table) => {
      table.text('id').primary();
      texts(table, 'hash');
      ints(table, 'chain_id', 'created_at');
      maybeTexts(table, 'request_id');
    },
  ],
  [
    'holds',
    (table, big) => {
      table.text('id').primary();
      texts(table, 'request_id', 'funding_key', 'currency', 'reason', 'state');
      ints(table, 'version', 'chain_id', 'created_at');
      big('amount').notNullable();
    },
  ],
  [
    'meta',
    (table) => {
      table.text('key').primary();
      ints(table, 'version');
      texts(table, 'value');
    },
  ],
];

/** Unique keys that guard money, then one index per named read and per search driver. */
const INDEXES: readonly string[] = [
  'unique index quotes_order on quotes (order_id)',
  'unique index requests_parent_order on requests (order_id) where parent_request_id is null',
  'unique index attempts_hash on attempts (chain_id, hash)',
  'unique index events_id on events (id)',
  'unique index events_sequence on events (request_id, sequence)',
  'unique index transactions_id on transactions (id)',
  'unique index api_keys_hash on api_keys (hash)',

  'index quotes_deadline on quotes (deadline_at)',
  'index requests_order on requests (order_id)',
  'index requests_parent on requests (parent_request_id) where parent_request_id is not null',
  `index requests_unsettled on requests (created_at, id) where status not in ('success', 'refund', 'failure')`,
  'index requests_created on requests (created_at, id)',
  'index requests_user on requests ("user", created_at, id)',
  'index requests_sender on requests (sender, created_at, id) where sender is not null',
  'index requests_recipient on requests (recipient, created_at, id)',
  'index requests_status on requests (status, created_at, id)',
  'index requests_origin on requests (origin_chain_id, created_at, id)',
  'index requests_destination on requests (destination_chain_id, created_at, id)',
  'index deposits_request on deposits (request_id)',
  `index deposits_included on deposits (chain_id, height, funding_key) where state = 'included'`,
  `index deposits_undecided on deposits (chain_id, seen_at, funding_key) where decision = 'waiting'`,
  'index deposits_collectable on deposits (chain_id, seen_at, funding_key) where collectable is not null and collect_leg_id is null',
  'index deposits_collect_leg on deposits (collect_leg_id) where collect_leg_id is not null',
  'index legs_request on legs (request_id)',
  'index legs_deposit on legs (funding_key)',
  `index legs_due on legs (chain_id, signer, created_at, id, due_at) where state in ('owed', 'short')`,
  `index keys_open on keys (chain_id, signer, created_at) where state = 'open'`,
  'index attempts_key on attempts (key_id, n)',
  'index attempt_legs_leg on attempt_legs (leg_id)',
  'index transactions_hash on transactions (hash)',
  'index transactions_request on transactions (request_id)',
  'index transactions_undescribed on transactions (position) where entry is null and block is not null',
  'index hints_created on hints (created_at)',
  'index holds_state on holds (state, created_at, id)',
];

export const initial: Migration = {
  name: '0001-initial',
  async up(knex) {
    const dialect = String(knex.client.config.client);
    for (const [name, build] of TABLES) {
      await knex.schema.createTable(name, (table) => build(table, (column) => amount(table, column, dialect)));
    }
    for (const index of INDEXES) await knex.raw(`create ${index}`);
  },
  async down(knex) {
    for (const [name] of [...TABLES].reverse()) await knex.schema.dropTableIfExists(name);
  },
};
