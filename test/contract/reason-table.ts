import type { FailReason, RefundFailReason } from '@causeway/core';

export interface Produced {
  readonly producer: string;
  readonly test: string;
}

/** Never given here: filters accept it, because clients send every value of the interface. */
export interface FilterOnly {
  readonly filterOnly: string;
}

export type Row = Produced | FilterOnly;

const from = (producer: string, test: string): Produced => ({ producer, test });
const filterOnly = (why: string): FilterOnly => ({ filterOnly: why });

const decide = 'core/src/domain/decide.ts';
const refunds = 'test/e2e/refunds.test.ts';
const late = 'test/e2e/late.nightly.test.ts';
const reverts = 'plugins/evm/src/explain-call/own-errors.ts';
const decoded = 'plugins/evm/test/reverts.test.ts';
const check = 'plugins/evm/src/check.ts';
const checked = 'plugins/evm/test/check.test.ts';

const swapsInFills = 'core/test/engine/swaps.test.ts';
const exchanged = from('core/src/engine/payouts/swap-in-fill.ts', swapsInFills);
const swapBack = 'core/test/engine/swapped-back.test.ts';
const addresses = filterOnly('a transfer belongs to the address that it arrived at, and names no other');
const external = filterOnly('a protocol that destination calls would reach');
const called = from('plugins/evm/src/explain-call/error-texts.ts', 'plugins/evm/test/call-reverts.test.ts');
const explained = 'plugins/evm/test/explain-call/explain-call.test.ts';
const halted = from('plugins/evm/src/explain-call/halts.ts', explained);
const known = from('plugins/evm/src/explain-call/known-errors.ts', explained);
const coded = from('plugins/evm/src/explain-call/error-texts.ts', explained);
/** Only errors that a deployer lists mean it. */
const configured = from(
  'plugins/evm/src/explain-call/call-reasons.ts',
  'plugins/evm/test/explain-call/options.test.ts',
);
const tried = 'plugins/svm/test/check.test.ts';
const landed = 'plugins/svm/test/submit.test.ts';
const programs = 'plugins/svm/src/explain.ts';

/** A missing row does not compile. */
export const FAIL_REASON_TABLE: Readonly<Record<FailReason, Row>> = {
  UNKNOWN: from(decide, refunds),
  SLIPPAGE: from(decide, late),
  AMOUNT_TOO_LOW_TO_REFUND: filterOnly('reported as refundFailReason; the failReason stays what led to the refund'),
  DEPOSIT_ADDRESS_MISMATCH: addresses,
  DEPOSIT_CHAIN_MISMATCH: from(decide, refunds),
  INCORRECT_DEPOSIT_CURRENCY: from(decide, refunds),
  DOUBLE_SPEND: from(decide, refunds),
  SOLVER_CAPACITY_EXCEEDED: from('core/src/engine/books/budget.ts', 'core/test/engine/limits.test.ts'),
  SOLVER_BALANCE_TOO_LOW: from('core/src/engine/books/budget.ts', 'test/e2e/stuck.test.ts'),
  DEPOSITED_AMOUNT_TOO_LOW_TO_FILL: from(decide, refunds),
  NEGATIVE_NEW_AMOUNT_AFTER_FEES: from('core/src/domain/fees.ts', 'core/test/domain/decide.test.ts'),
  NO_QUOTES: from(
    'core/src/capabilities/deposit-addresses/open-orders.ts',
    'core/test/engine/deposit-addresses.test.ts',
  ),
  MISSING_REVERT_DATA: halted,
  REVERSE_SWAP_FAILED: from('core/src/engine/books/swap-back.ts', swapBack),
  GENERATE_SWAP_FAILED: exchanged,
  TOO_LITTLE_RECEIVED: called,
  EXECUTION_REVERTED: from(check, checked),
  NEW_CALLDATA_INCLUDES_HIGHER_RENT_FEE: from('plugins/svm/src/check.ts', tried),
  TRANSACTION_REVERTED: from('core/src/engine/keys/close-fill.ts', 'core/test/engine/failure.test.ts'),
  TRANSACTION_TOO_LARGE: from('plugins/bvm/src/check.ts', 'plugins/bvm/test/transactions.test.ts'),
  ORIGIN_CURRENCY_MISMATCH: filterOnly(
    'another currency than the order asks for is reported as INCORRECT_DEPOSIT_CURRENCY',
  ),
  NO_INTERNAL_SWAP_ROUTES_FOUND: exchanged,
  SWAP_USES_TOO_MUCH_GAS: from('core/src/engine/kinds/fill.ts', swapsInFills),
  INSUFFICIENT_FUNDS_FOR_RENT: from(programs, tried),
  SPONSOR_BALANCE_TOO_LOW: from(
    'core/src/engine/deposits/settle-deposit.ts',
    'core/test/engine/sponsored-fills.test.ts',
  ),
  ORDER_EXPIRED: from(decide, late),
  ORDER_IS_CANCELLED: known,
  TRANSFER_FROM_FAILED: called,
  TRANSFER_FAILED: called,
  SIGNATURE_EXPIRED: from(reverts, decoded),
  INVALID_SIGNATURE: from(reverts, decoded),
  INSUFFICIENT_NATIVE_TOKENS_SUPPLIED: halted,
  TRANSFER_AMOUNT_EXCEEDS_ALLOWANCE: called,
  TRANSFER_AMOUNT_EXCEEDS_BALANCE: from(programs, landed),
  INVALID_SENDER: from(reverts, decoded),
  ACCOUNT_ABSTRACTION_INVALID_NONCE: coded,
  ACCOUNT_ABSTRACTION_SIGNATURE_ERROR: coded,
  EXTERNAL_INEXACT_FRACTION: known,
  TOKEN_NOT_TRANSFERABLE: known,
  ZERO_SELL_AMOUNT: configured,
  MINT_NOT_ACTIVE: called,
  ERC_1155_TOO_MANY_REQUESTED: configured,
  INCORRECT_PAYMENT: called,
  INVALID_GAS_PRICE: configured,
  EXTERNAL_DEX_ERROR: configured,
  ORDER_ALREADY_FILLED: from('core/src/engine/payouts/give-up.ts', 'core/test/engine/foreign.test.ts'),
  EXTERNAL_INVALID_FULFILLER: configured,
  INVALID_SIGNER: known,
  MINT_QUANTITY_EXCEEDS_MAX_PER_WALLET: called,
  MINT_QUANTITY_EXCEEDS_MAX_SUPPLY: called,
  EXTERNAL_INVALID_TOKEN_ACCOUNT: external,
  INVALID_NONCE: from('plugins/evm/src/in-force.ts', 'plugins/evm/test/authorizations.test.ts'),
  ACCOUNT_ABSTRACTION_GAS_LIMIT: coded,
  CONTRACT_PAUSED: called,
  SWAP_IMPACT_TOO_HIGH: exchanged,
  INSUFFICIENT_POOL_LIQUIDITY: exchanged,
  TTL_EXPIRED: from(decide, late),
  DEPOSIT_CONFIRMATION_TIMEOUT: from('core/src/engine/books/unconfirmed.ts', 'core/test/engine/unconfirmed.test.ts'),
  ORPHANED_DEPOSIT_REFUND: from(decide, refunds),
  GASLESS_PERMIT_BALANCE_TOO_LOW: from('core/src/capabilities/permits/permit.ts', 'test/e2e/permits.test.ts'),
  MANUAL_ADMIN_REFUND: from('core/src/engine/operator/refund-request.ts', 'test/e2e/operator.test.ts'),
  QUOTED_GAS_LIMIT_EXCEEDED: from(check, checked),
  DESTINATION_TOKEN_TRANSFER_REJECTED: from(reverts, refunds),
  DEPOSIT_REORGED: from('core/src/engine/books/deposit-life.ts', 'test/e2e/reorgs.test.ts'),
  BLOCKED_WALLET: from('core/src/engine/kinds/fill.ts', 'core/test/engine/screening.test.ts'),
  PROTOCOL_DEADLINE_EXPIRED: from('core/src/engine/payouts/judge-fill.ts', 'core/test/engine/limits.test.ts'),
  TRANSACTION_NOT_INCLUDED: from('core/src/engine/keys/close-fill.ts', 'test/e2e/stuck.test.ts'),
  TRANSACTION_SUBMISSION_FAILED: from('core/src/engine/keys/close-fill.ts', 'core/test/engine/failure.test.ts'),
  'N/A': from('core/src/api/routes/status.ts', 'core/test/api/status.test.ts'),
};

export const REFUND_FAIL_REASON_TABLE: Readonly<Record<RefundFailReason, Row>> = {
  AMOUNT_TOO_LOW_TO_REFUND: from('core/src/engine/payouts/judge-payback.ts', refunds),
  NEGATIVE_NEW_AMOUNT_AFTER_FEES: filterOnly('a refund that gas eats up is reported as AMOUNT_TOO_LOW_TO_REFUND'),
  SWAP_CURRENCY_NOT_ON_ORIGIN: from('core/src/engine/books/swap-back.ts', swapBack),
  REFUND_RECIPIENT_IS_VASP: from('core/src/engine/payouts/judge-payback.ts', 'core/test/engine/orphans.test.ts'),
  MANUAL_REFUND_REQUIRED: from('core/src/engine/kinds/payback.ts', refunds),
};
