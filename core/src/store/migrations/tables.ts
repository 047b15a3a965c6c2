import type { Knex } from 'knex';

type Table = Knex.CreateTableBuilder;
type Columns = (table: Table, ...names: string[]) => void;
type Big = (name: string) => Knex.ColumnBuilder;
type Build = (table: Table, big: Big, zero: Knex.Raw) => void;

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

/** All but `request_listing`, which is in `listing.ts`. Columns of `texts` and `ints` are not null. */
const TABLES: readonly (readonly [name: string, build: Build])[] = [
  [
    'quotes',
    (table) => {
      table.text('id').primary();
      texts(table, 'order_id', 'user', 'recipient', 'network', 'body');
      ints(table, 'created_at', 'expires_at', 'deadline_at', 'origin_chain_id', 'destination_chain_id');
      maybeInts(table, 'ttl_at', 'amount_usd');
      maybeTexts(table, 'key_id', 'referrer', 'parent_request_id');
      // Set by `prune` when it first meets a quote that became a request. Null: unknown.
      table.boolean('paid');
    },
  ],
  [
    'requests',
    (table, _, zero) => {
      table.text('id').primary();
      texts(table, 'order_id', 'status', 'user', 'recipient', 'origin_currency', 'destination_currency');
      texts(table, 'origin_symbol', 'destination_symbol', 'request_type', 'network', 'body');
      ints(table, 'version', 'event_count', 'origin_chain_id', 'destination_chain_id');
      ints(table, 'created_at', 'updated_at', 'deadline_at');
      maybeTexts(table, 'parent_request_id', 'sender', 'refund_to', 'key_id', 'referrer', 'funding_key');
      maybeTexts(table, 'fail_reason', 'refund_fail_reason', 'failed', 'actual', 'details');
      maybeTexts(table, 'deposit_address', 'depositor');
      maybeInts(table, 'amount_usd', 'app_fees_usd', 'fill_time_ms');
      table.bigInteger('features').notNullable().defaultTo(zero);
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
      maybeTexts(table, 'order_id', 'block_id', 'collect_leg_id', 'witnessed', 'rival_block_id', 'paid_with');
      maybeInts(table, 'height', 'block_time', 'rival_height');
    },
  ],
  [
    'legs',
    (table, big, zero) => {
      table.text('id').primary();
      texts(table, 'kind', 'state', 'signer', 'currency', 'recipient');
      ints(table, 'version', 'chain_id', 'due_at', 'created_at');
      big('amount').notNullable();
      big('covers').notNullable();
      big('spent').notNullable().defaultTo('0');
      big('work');
      maybeTexts(table, 'request_id', 'funding_key', 'order_id', 'key', 'reason', 'released_by');
      maybeInts(table, 'deadline_at', 'included_at', 'claimed_at');
      for (const name of ['reverts', 'closings']) table.bigInteger(name).notNullable().defaultTo(zero);
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
      ints(table, 'version', 'chain_id');
      maybeTexts(table, 'halted');
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
      table.text('tier').notNullable().defaultTo('default');
      table.text('private_chains').notNullable().defaultTo('[]');
      ints(table, 'version', 'created_at');
      maybeTexts(table, 'name', 'replaced_by');
      maybeInts(table, 'expires_at', 'revoked_at');
    },
  ],
  [
    'integrators',
    (table) => {
      table.text('id').primary();
      texts(table, 'name');
      ints(table, 'version', 'created_at');
      maybeTexts(table, 'funding_address');
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
    'client_metadata',
    (table) => {
      table.text('request_id').primary();
      texts(table, 'metadata');
      ints(table, 'created_at');
    },
  ],
  [
    'holds',
    (table, big) => {
      table.text('id').primary();
      texts(table, 'request_id', 'funding_key', 'currency', 'reason', 'state');
      table.text('transaction_hash').notNullable().defaultTo('');
      ints(table, 'version', 'chain_id', 'created_at');
      big('amount').notNullable();
    },
  ],
  [
    'executions',
    (table, big) => {
      table.text('id').primary();
      texts(table, 'request_id', 'transaction_hash', 'state');
      ints(table, 'version', 'chain_id', 'seen_at');
      for (const name of ['amount_in', 'amount_out', 'fee']) big(name).notNullable();
      maybeTexts(table, 'block_id');
      maybeInts(table, 'height', 'block_time');
    },
  ],
  [
    'fee_claims',
    (table, big) => {
      table.text('id').primary();
      table.text('leg_id').notNullable().unique();
      texts(table, 'wallet', 'currency', 'recipient');
      ints(table, 'chain_id', 'created_at');
      big('amount').notNullable();
    },
  ],
  [
    'earmarks',
    (table, big) => {
      table.text('id').primary();
      texts(table, 'state', 'key_id', 'signer', 'currency');
      ints(table, 'version', 'origin_chain_id', 'chain_id', 'expires_at', 'deadline_at', 'created_at');
      for (const name of ['amount', 'value']) big(name).notNullable();
    },
  ],
  [
    'endpoints',
    (table) => {
      table.text('id').primary();
      texts(table, 'channel', 'state');
      table.text('settings').notNullable().defaultTo('{}');
      ints(table, 'version', 'shard', 'from_position', 'created_at', 'updated_at');
      maybeTexts(table, 'integrator_id', 'url', 'sealed', 'reason');
      maybeInts(table, 'failing_since');
    },
  ],
  [
    'deliveries',
    (table) => {
      table.text('id').primary();
      texts(table, 'endpoint_id', 'event_id', 'request_id', 'state');
      ints(table, 'version', 'position', 'sequence', 'due_at', 'attempts', 'created_at', 'updated_at');
      maybeInts(table, 'first_tried_at', 'answer_status');
      maybeTexts(table, 'last_error', 'answer');
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
  [
    'leases',
    (table) => {
      table.text('scope').primary();
      ints(table, 'version', 'expires_at');
      maybeTexts(table, 'owner');
    },
  ],
  [
    'tombstones',
    (table) => {
      table.text('order_id').primary();
      texts(table, 'request_id', 'refund_to');
      ints(table, 'origin_chain_id', 'deadline_at', 'created_at');
      maybeTexts(table, 'key_id');
    },
  ],
];

/** An amount needs 78 digits for any 256-bit number; SQLite lacks such a type and stores decimal text. */
export async function createTables(knex: Knex): Promise<void> {
  const sqlite = String(knex.client.config.client) === 'sqlite3';
  const zero = knex.raw('0');
  for (const [name, build] of TABLES) {
    await knex.schema.createTable(name, (table) => {
      build(table, (column) => (sqlite ? table.text(column) : table.decimal(column, 78, 0)), zero);
    });
  }
}

export async function dropTables(knex: Knex): Promise<void> {
  for (const [name] of [...TABLES].reverse()) await knex.schema.dropTable(name);
}
