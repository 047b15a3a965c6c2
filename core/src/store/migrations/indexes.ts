import type { Knex } from 'knex';

/** Unique keys that guard money, then one index per named read. Those of `request_listing` are in `listing.ts`. */
const INDEXES: readonly string[] = [
  'unique index quotes_order on quotes (order_id)',
  'unique index requests_parent_order on requests (order_id) where parent_request_id is null',
  'unique index attempts_hash on attempts (chain_id, hash)',
  'unique index events_id on events (id)',
  'unique index events_sequence on events (request_id, sequence)',
  'unique index transactions_id on transactions (id)',
  'unique index api_keys_hash on api_keys (hash)',
  'unique index integrators_funding on integrators (funding_address)',

  // By retention, for callers with and without a key. A quote that became a request leaves both when it is marked paid.
  'index quotes_unpaid_anonymous on quotes (deadline_at, id) where paid is null and key_id is null',
  'index quotes_unpaid_keyed on quotes (deadline_at, id) where paid is null and key_id is not null',
  'index requests_order on requests (order_id)',
  'index requests_parent on requests (parent_request_id) where parent_request_id is not null',
  `index requests_unsettled on requests (created_at, id) where status not in ('success', 'refund', 'failure')`,
  'index deposits_request on deposits (request_id)',
  `index deposits_included on deposits (chain_id, height, funding_key) where state = 'included'`,
  `index deposits_undecided on deposits (chain_id, seen_at, funding_key) where decision = 'waiting'`,
  'index deposits_collectable on deposits (chain_id, seen_at, funding_key) where collectable is not null and collect_leg_id is null',
  'index deposits_collect_leg on deposits (collect_leg_id) where collect_leg_id is not null',
  // Deposits without a block: few, and read at every block.
  `index deposits_unconfirmed on deposits (chain_id, seen_at, funding_key) where state = 'mempool'`,
  'index legs_request on legs (request_id)',
  'index legs_deposit on legs (funding_key)',
  `index legs_due on legs (chain_id, signer, created_at, id, due_at) where state in ('owed', 'short')`,
  `index legs_open on legs (request_id) where state in ('short', 'owed', 'bound', 'blocked')`,
  `index keys_open on keys (chain_id, signer, created_at) where state = 'open'`,
  'index attempts_key on attempts (key_id, n)',
  'index attempt_legs_leg on attempt_legs (leg_id)',
  'index transactions_hash on transactions (hash)',
  'index transactions_request on transactions (request_id)',
  'index transactions_undescribed on transactions (position) where entry is null and block is not null',
  'index transactions_block on transactions (block, request_id) where block is not null',
  'index transactions_chain_block on transactions (chain_id, block, request_id) where block is not null',
  'index api_keys_integrator on api_keys (integrator_id, created_at, id)',
  'index hints_created on hints (created_at, id)',
  'index holds_state on holds (state, created_at, id)',
  'index holds_transaction on holds (transaction_hash, state, created_at, id)',
  'index executions_request on executions (request_id, seen_at, id)',
  `index executions_included on executions (chain_id, height, id) where state = 'included'`,
  'index fee_claims_wallet on fee_claims (wallet, created_at, id)',
  `index earmarks_kept on earmarks (expires_at, id) where state = 'kept'`,
  `index earmarks_ended on earmarks (expires_at, id) where state <> 'kept'`,
  `index endpoints_removed on endpoints (updated_at, id) where state = 'removed'`,
  `index deliveries_due on deliveries (endpoint_id, due_at, position, id) where state = 'due'`,
  'index deliveries_log on deliveries (endpoint_id, position)',
  `index deliveries_open_log on deliveries (endpoint_id, position) where state in ('due', 'behind', 'again')`,
  `index deliveries_failed_log on deliveries (endpoint_id, position) where state = 'failed'`,
  `index deliveries_again on deliveries (endpoint_id) where state = 'again'`,
  `index deliveries_open on deliveries (request_id, position, id) where state in ('due', 'behind', 'again')`,
  `index deliveries_over on deliveries (updated_at, id) where state in ('delivered', 'failed')`,
];

export async function createIndexes(knex: Knex): Promise<void> {
  for (const index of INDEXES) await knex.raw(`create ${index}`);
}
