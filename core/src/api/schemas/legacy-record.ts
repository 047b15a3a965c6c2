import { anything, flag, integer, list, mapOf, named, nullable, object, oneOf, text } from '../schema.js';
import {
  AMOUNT,
  CHAIN_ID,
  CURRENCY,
  FAIL_REASON,
  ISO_TIME,
  RECORD_STATUS,
  REFUND_FAIL_REASON_OR_NONE,
  REQUEST_ID,
  TRUNCATED,
  UNITS,
} from './common.js';
import { APP_FEE, ROUTE_SIDE } from './request-record.js';

const LEGACY_TRANSACTION = named(
  'LegacyTransaction',
  object(
    {
      hash: text(),
      fee: text({ description: 'Native currency of the chain, smallest unit.' }),
      block: nullable(integer({ minimum: 0 })),
      type: text(),
      chainId: CHAIN_ID,
      timestamp: nullable(integer({ minimum: 0, description: 'Unix seconds.' })),
      status: oneOf(['success', 'failure']),
      data: anything(),
      stateChanges: anything(),
    },
    { truncated: TRUNCATED },
  ),
);

const DEPOSIT_ADDRESS = object({
  address: text(),
  depositAddressType: oneOf(['strict', 'open']),
  depositor: nullable(text()),
  depositTxHash: nullable(text()),
});

/** As `SPONSORSHIP`, with the component `relay` in place of `platform`. */
const LEGACY_SPONSORSHIP = mapOf(anything());

export const LEGACY_RECORD = named(
  'LegacyRequestRecord',
  object({
    id: REQUEST_ID,
    status: RECORD_STATUS,
    user: text(),
    recipient: text(),
    depositAddress: nullable(DEPOSIT_ADDRESS),
    data: object({
      slippageTolerance: text({ description: 'Basis points.' }),
      failReason: FAIL_REASON,
      refundFailReason: REFUND_FAIL_REASON_OR_NONE,
      fees: object({ gas: UNITS, fixed: UNITS, price: UNITS, gateway: UNITS }),
      feesUsd: object({ gas: text(), fixed: text(), price: text(), gateway: text() }),
      inTxs: list(LEGACY_TRANSACTION),
      outTxs: list(LEGACY_TRANSACTION),
      currency: text({ description: 'Symbol of the input, in lower case.' }),
      feeCurrency: text({ description: 'Symbol of the currency of the fees, in lower case.' }),
      feeCurrencyObject: CURRENCY,
      appFees: list(object(APP_FEE)),
      feeSponsorship: object({ quoted: LEGACY_SPONSORSHIP, actual: LEGACY_SPONSORSHIP }),
      paidAppFees: list(object({ ...APP_FEE, amountUsd: text() })),
      metadata: object({
        sender: text(),
        recipient: text(),
        currencyIn: AMOUNT,
        currencyOut: AMOUNT,
        rate: text(),
        route: object({ origin: ROUTE_SIDE, destination: ROUTE_SIDE }),
      }),
      price: text({ description: 'Whole units of the output.' }),
      usesExternalLiquidity: flag(),
      timeEstimate: nullable(integer({ description: 'Seconds.' })),
    }),
    referrer: nullable(text({ description: "For the key's own integrator only." })),
    createdAt: ISO_TIME,
    updatedAt: ISO_TIME,
  }),
);

const WHERE = { message: text(), successor: text(), migrationGuide: text() };

const DEPRECATION = named(
  'Deprecation',
  object({ ...WHERE, deprecatedAt: ISO_TIME, throttledFrom: nullable(ISO_TIME), sunsetAt: ISO_TIME }),
);

export const LEGACY_PAGE = named(
  'LegacyRequestPage',
  object(
    { requests: list(LEGACY_RECORD) },
    {
      continuation: text({ description: 'Cursor of the next page; absent on the last one.' }),
      deprecation: DEPRECATION,
    },
  ),
);

export const LEGACY_LIMITED = named('LegacyLimited', object(WHERE));
