import { list, named, nullable, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, FAIL_REASON, INTENT_STATUS, REFUND_FAIL_REASON_OR_NONE, UNIX_MS } from './common.js';

const EXAMPLE = {
  status: 'success',
  inTxHashes: [`0x${'1a'.repeat(32)}`],
  txHashes: [`0x${'2b'.repeat(32)}`],
  updatedAt: 1_790_000_004_000,
  quoteCreatedAt: 1_790_000_000_000,
  originChainId: 8453,
  destinationChainId: 10,
  failReason: 'N/A',
  refundFailReason: 'N/A',
  details: null,
};

/** Public clients also read `quoteCreatedAt`. */
export const STATUS_RECORD = named(
  'StatusRecord',
  object(
    {
      status: INTENT_STATUS,
      inTxHashes: list(text()),
      txHashes: list(text()),
      updatedAt: UNIX_MS,
      quoteCreatedAt: UNIX_MS,
      originChainId: CHAIN_ID,
      destinationChainId: CHAIN_ID,
      failReason: FAIL_REASON,
      refundFailReason: REFUND_FAIL_REASON_OR_NONE,
      details: nullable(text()),
    },
    {},
    { examples: [EXAMPLE] },
  ),
);

const OLDER = {
  details: nullable(text()),
  inTxHashes: list(text()),
  txHashes: list(text()),
  time: UNIX_MS,
  originChainId: CHAIN_ID,
  destinationChainId: CHAIN_ID,
};

/** Older versions: `submitted` and `fallback` map to the nearest status. */
export const STATUS_RECORD_V2 = named(
  'StatusRecordV2',
  object({
    ...OLDER,
    status: oneOf(['refund', 'waiting', 'depositing', 'failure', 'pending', 'success']),
    quoteCreatedAt: UNIX_MS,
  }),
);

/** Older version: a refund is a `fallback`, and an unpaid quote `received`. */
export const STATUS_RECORD_V1 = named(
  'StatusRecordV1',
  object({ ...OLDER, status: oneOf(['failure', 'fallback', 'pending', 'received', 'success']) }),
);
