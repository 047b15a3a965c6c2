import { list, named, nullable, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, FAIL_REASON, ISO_TIME, RECORD_STATUS, REFUND_FAIL_REASON, REQUEST_ID, UNITS } from './common.js';

const SIDE = object({ chainId: CHAIN_ID, currency: text(), amount: UNITS });
const MOVED = object({ input: SIDE, output: nullable(SIDE) });
const TRANSACTIONS = list(object({ chainId: CHAIN_ID, txHash: text(), status: oneOf(['success', 'failure']) }));

export const SIGNED_REQUEST = named(
  'SignedRequest',
  object({
    requestData: object({
      id: REQUEST_ID,
      orderId: REQUEST_ID,
      status: RECORD_STATUS,
      user: text(),
      recipient: text(),
      quoted: MOVED,
      actual: nullable(MOVED),
      inTxs: TRANSACTIONS,
      outTxs: TRANSACTIONS,
      failReason: nullable(FAIL_REASON),
      refundFailReason: nullable(REFUND_FAIL_REASON),
      createdAt: ISO_TIME,
      updatedAt: ISO_TIME,
    }),
    signer: text({ description: 'Address of the solver.' }),
    signature: text({ pattern: '^0x[0-9a-f]{130}$' }),
  }),
);
