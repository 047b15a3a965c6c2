import { KNOWN_VM_TYPES, VM_TYPE } from '../../contract/ids.js';
import { FAIL_REASONS, REFUND_FAIL_REASONS } from '../../errors/fail-reasons.js';
import { anything, flag, integer, named, nullable, object, oneOf, text } from '../schema.js';

/** Smallest units; may be negative. */
export const UNITS = text({ pattern: '^-?[0-9]+$' });
export const CHAIN_ID = integer({ minimum: 0 });
/** Not an enumeration: a build may add families. */
export const VM_TYPE_FIELD = text({
  pattern: VM_TYPE.source,
  description: `The chain's family, in one word. Clients know ${KNOWN_VM_TYPES.map((word) => `\`${word}\``).join(', ')}; a build may bring others.`,
});
export const UNIX_MS = integer({ minimum: 0, description: 'Unix milliseconds.' });
export const UNIX_SECONDS = integer({ minimum: 0, description: 'Unix seconds.' });
export const ISO_TIME = text({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
  description: 'ISO 8601, UTC.',
});
export const REQUEST_ID = text({
  pattern: '^0x[0-9a-f]{64}$',
  description: '32 bytes as lower-case hex.',
  examples: [`0x${'3c'.repeat(32)}`],
});

const CURRENCY_METADATA = object({ logoURI: text(), verified: flag() }, { isNative: flag() });

export const CURRENCY_FIELDS = {
  chainId: CHAIN_ID,
  address: text(),
  symbol: text(),
  name: text(),
  decimals: integer({ minimum: 0 }),
  metadata: CURRENCY_METADATA,
};

export const CURRENCY = named('Currency', object(CURRENCY_FIELDS));

export const AMOUNTS = {
  amount: text({ pattern: '^-?[0-9]+$', description: 'Smallest unit.' }),
  amountFormatted: text({ description: 'Whole units.' }),
  amountUsd: text({ description: 'US dollars; `0` if no price is known.' }),
  minimumAmount: text({ pattern: '^-?[0-9]+$', description: 'Minimum amount after slippage, smallest unit.' }),
};

const AMOUNT_EXAMPLE = {
  currency: {
    chainId: 8453,
    address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    symbol: 'USDC',
    name: 'USD Coin',
    decimals: 6,
    metadata: { logoURI: '', verified: true, isNative: false },
  },
  amount: '25000000',
  amountFormatted: '25.0',
  amountUsd: '25.000000',
  minimumAmount: '24875000',
};

export const AMOUNT = named(
  'AmountWithCurrency',
  object({ currency: CURRENCY, ...AMOUNTS }, {}, { examples: [AMOUNT_EXAMPLE] }),
);

export const RECORD_STATUS = named(
  'RequestStatus',
  oneOf(['refund', 'waiting', 'depositing', 'failure', 'pending', 'submitted', 'success']),
);

/** Statuses of `/intents/status/v3` and of events: those of the record and `fallback`. */
export const INTENT_STATUS = named(
  'IntentStatus',
  oneOf(['refund', 'waiting', 'depositing', 'failure', 'pending', 'submitted', 'success', 'fallback']),
);

export const FAIL_REASON = named('FailReason', oneOf(FAIL_REASONS));
export const REFUND_FAIL_REASON = named('RefundFailReason', oneOf(REFUND_FAIL_REASONS));
/** On the status endpoint and in events: `N/A` for none. */
export const REFUND_FAIL_REASON_OR_NONE = named(
  'RefundFailReasonOrNone',
  oneOf([...REFUND_FAIL_REASONS, 'N/A'] as const),
);

export const TRUNCATED = flag({
  description:
    'True if the transaction did more than `data` and `stateChanges` list; parties of the request and currencies of the service are listed first. Where `data` is null, it was too large to read, and its fee is not known.',
});

export const TRANSACTION_ENTRY = named(
  'TransactionEntry',
  object(
    {
      txHash: text(),
      fee: text({ description: 'Native currency of the chain, smallest unit.' }),
      feeUsd: text(),
      block: nullable(integer({ minimum: 0 })),
      type: text(),
      chainId: CHAIN_ID,
      timestamp: nullable(integer({ minimum: 0, description: 'Unix seconds.' })),
      status: oneOf(['success', 'failure']),
      data: anything({ description: 'The call as its chain describes it: `to`, `from`, `data`, `value`.' }),
      stateChanges: anything({ description: 'Balances that the transaction changed; null until it is described.' }),
    },
    { truncated: TRUNCATED },
  ),
);

export const MESSAGE = named('Message', object({ message: text() }));
