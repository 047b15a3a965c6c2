export * from './contract/index.js';
export { BalanceChanges } from './domain/balance-changes.js';
export { decimalText, divide, fixedText, parseDecimal, powerOfTen, type Rounding } from './domain/decimal.js';
export { type ExactJson, numberText, parseExact, writeExact } from './domain/exact-json.js';
export * from './domain/hex.js';
export { pointerFor, pointTo } from './domain/json-pointer.js';
export { initKeccak, keccak256 } from './domain/keccak.js';
export * from './domain/money.js';
export type { OrderData } from './domain/order.js';
export { type AddressCodec, orderId } from './domain/order-id.js';
export { BPS, bpsPercentText, percentText, rateText } from './domain/percent.js';
export { REQUEST_TYPES, type RequestType } from './domain/request-type.js';
export {
  type EvidenceFor,
  type EvidenceKind,
  type FailingTrigger,
  type FailureEvidence,
  REQUEST_STATUSES,
  type RequestStatus,
  type Trigger,
} from './domain/transitions.js';
export { onlyOrderId, writtenOrderId } from './domain/written-id.js';
export { ApiError, apiError, type ErrorBody, invalidRequest, payloadTooLarge } from './errors/api-error.js';
export { ERROR_CATALOGUE, type ErrorCode } from './errors/catalogue.js';
export * from './errors/fail-reasons.js';
export { parseFailReason, parseRefundFailReason } from './errors/parse-reasons.js';
export { quietServices, whyIncomplete } from './ports/set-up-alone.js';
export * from './prices/index.js';
export { nativeCurve, pureCurve, type Secp256k1Curve, secp256k1Signer } from './signing/secp256k1.js';
