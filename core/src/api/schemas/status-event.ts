import { described, list, named, nullable, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, FAIL_REASON, INTENT_STATUS, REFUND_FAIL_REASON_OR_NONE, REQUEST_ID, UNIX_MS } from './common.js';

/** In events the type of a deposit address has a different name than in records. */
const EVENT_DEPOSIT_ADDRESS = named(
  'EventDepositAddress',
  object({
    address: text(),
    depositAddressType: oneOf(['strict', 'open']),
    depositor: nullable(text()),
    depositTxHash: nullable(text()),
  }),
);

export const STATUS_EVENT_DATA = named(
  'StatusEventData',
  object({
    requestId: REQUEST_ID,
    parentRequestId: described(
      nullable(REQUEST_ID),
      'The request that the transfer names: another transfer funded it, or this one could not. Null: no such transfer.',
    ),
    status: INTENT_STATUS,
    inTxHashes: list(text()),
    txHashes: list(text()),
    updatedAt: UNIX_MS,
    originChainId: CHAIN_ID,
    destinationChainId: CHAIN_ID,
    failReason: FAIL_REASON,
    refundFailReason: REFUND_FAIL_REASON_OR_NONE,
    details: nullable(text()),
    depositAddress: nullable(EVENT_DEPOSIT_ADDRESS),
    referrer: described(
      nullable(text()),
      'As in the quote; only for the integrator whose key requested it, otherwise null.',
    ),
  }),
);
