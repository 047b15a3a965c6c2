import { FAIL_REASONS, type FailReason, REFUND_FAIL_REASONS, type RefundFailReason } from './fail-reasons.js';

/** Spellings that public clients still send for the `EXTERNAL_*` values. */
const ALTERNATES: ReadonlyMap<string, FailReason> = new Map([
  ['SEAPORT_INEXACT_FRACTION', 'EXTERNAL_INEXACT_FRACTION'],
  ['SEAPORT_INVALID_FULFILLER', 'EXTERNAL_INVALID_FULFILLER'],
  ['FLUID_DEX_ERROR', 'EXTERNAL_DEX_ERROR'],
  ['JUPITER_INVALID_TOKEN_ACCOUNT', 'EXTERNAL_INVALID_TOKEN_ACCOUNT'],
]);

const REASONS: ReadonlySet<string> = new Set(FAIL_REASONS);
const REFUND_REASONS: ReadonlySet<string> = new Set(REFUND_FAIL_REASONS);

/** Case-sensitive; undefined for an unknown reason. */
export function parseFailReason(text: string): FailReason | undefined {
  return REASONS.has(text) ? (text as FailReason) : ALTERNATES.get(text);
}

/** Case-sensitive; undefined for an unknown reason. */
export function parseRefundFailReason(text: string): RefundFailReason | undefined {
  return REFUND_REASONS.has(text) ? (text as RefundFailReason) : undefined;
}
