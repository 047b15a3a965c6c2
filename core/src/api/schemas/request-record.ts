import { REQUEST_TYPES } from '../../domain/request-type.js';
import { anything, flag, integer, list, named, nullable, object, oneOf, text } from '../schema.js';
import {
  AMOUNT,
  CURRENCY,
  FAIL_REASON,
  ISO_TIME,
  RECORD_STATUS,
  REFUND_FAIL_REASON,
  REQUEST_ID,
  TRANSACTION_ENTRY,
  UNITS,
} from './common.js';
import { HOLD } from './holds.js';

const FEE = named('Fee', object({ usd: text(), amount: UNITS, amountFormatted: text() }));
const FEE_SET = object({ swap: FEE, execution: FEE, platform: FEE, app: FEE, sponsored: FEE });

export const APP_FEE = { recipient: text(), bps: text(), amount: UNITS, amountFormatted: text() };

const COMPONENT = named(
  'SponsoredComponent',
  object({ selected: flag(), total: AMOUNT, sponsored: AMOUNT, userPays: AMOUNT }),
);

export const SPONSORSHIP = named(
  'Sponsorship',
  object(
    {
      selectedComponents: list(oneOf(['execution', 'swap', 'platform', 'app', 'rent'])),
      capHit: flag(),
      components: object({
        execution: COMPONENT,
        swap: COMPONENT,
        platform: COMPONENT,
        app: COMPONENT,
        rent: COMPONENT,
      }),
      sponsoredTotal: AMOUNT,
      userPaysTotal: AMOUNT,
    },
    {
      maxSubsidizationAmount: text({ description: 'Cap in millionths of a US dollar.' }),
      sponsorPayment: object({ amount: UNITS, address: text(), chainId: integer() }),
    },
  ),
);

export const ROUTE_SIDE = named(
  'RouteSide',
  object({ inputCurrency: AMOUNT, outputCurrency: nullable(AMOUNT), router: text() }, { currencyGasTopup: AMOUNT }),
);

const ROUTE = object({
  quoted: object({ origin: ROUTE_SIDE, destination: ROUTE_SIDE }),
  actual: nullable(object({ origin: ROUTE_SIDE, destination: ROUTE_SIDE, rate: nullable(text()) })),
  includedSwapSources: list(text()),
  includedOriginSwapSources: list(text()),
  includedDestinationSwapSources: list(text()),
});

export const DEPOSIT_ADDRESS = named(
  'DepositAddress',
  object({
    address: text(),
    type: oneOf(['strict', 'open']),
    depositor: nullable(text()),
    depositTxHash: nullable(text()),
    recoveryAddress: nullable(text()),
  }),
);

const ON_CHAIN = list(object({ chainId: text(), transactionId: text() }));

const PROTOCOL = object({
  orderId: nullable(REQUEST_ID),
  hubType: text(),
  isWithdrawable: flag(),
  solver: object({ address: text(), protocolChainId: text(), chainId: text() }),
  deposit: nullable(
    object({
      origin: object({
        amount: UNITS,
        chainId: text(),
        currency: text(),
        depositor: text(),
        depository: nullable(text()),
        onchainId: nullable(text()),
        transactionId: text(),
      }),
      relay: anything(),
      attestation: anything(),
    }),
  ),
  settlement: object({
    destination: object({ fills: ON_CHAIN, refunds: ON_CHAIN }),
    relay: anything(),
    attestation: anything(),
  }),
});

const DATA = named(
  'RequestData',
  object(
    {
      slippageTolerance: text({ description: 'Basis points.' }),
      failReason: nullable(FAIL_REASON),
      refundFailReason: nullable(REFUND_FAIL_REASON),
      usesExternalLiquidity: flag(),
      timeEstimate: nullable(integer({ description: 'Seconds.' })),
      triggeredByFastFill: nullable(flag()),
      inTxs: list(TRANSACTION_ENTRY),
      outTxs: list(TRANSACTION_ENTRY),
      fees: object({ quoted: FEE_SET, actual: nullable(FEE_SET), currency: CURRENCY }),
      appFees: object({
        quoted: list(object(APP_FEE)),
        actual: list(object({ ...APP_FEE, amountUsd: text() })),
        currency: CURRENCY,
      }),
      feeSponsorship: object({ quoted: SPONSORSHIP, actual: SPONSORSHIP, currency: CURRENCY }),
      route: ROUTE,
      quoteOraclePrice: anything(),
      refundCurrencyData: nullable(AMOUNT),
      externalMetadata: anything({ description: 'Metadata from `/requests/metadata`; otherwise null.' }),
    },
    {
      failedTxHash: text(),
      failedTxBlockNumber: integer(),
      failedCallData: object({ from: text(), to: text(), data: text(), value: text() }),
      apiKeyName: nullable(
        text({ description: "With `includeAuthenticatedData`, for the key's own integrator only." }),
      ),
      referrer: nullable(text({ description: 'As `apiKeyName`.' })),
      platformFee: anything({ description: 'As `apiKeyName`.' }),
    },
  ),
);

/** Element of `requests` in the listing, with further fields that public clients read. */
export const REQUEST_RECORD = named(
  'RequestRecord',
  object({
    id: REQUEST_ID,
    status: RECORD_STATUS,
    user: text(),
    recipient: text(),
    sender: nullable(text()),
    refundTo: nullable(text()),
    supersededByRequestId: nullable(text()),
    parentRequestId: nullable(text()),
    depositAddress: nullable(DEPOSIT_ADDRESS),
    requestType: oneOf(REQUEST_TYPES),
    features: list(text()),
    data: DATA,
    protocol: PROTOCOL,
    createdAt: ISO_TIME,
    updatedAt: ISO_TIME,
  }),
);

export const REQUEST_PAGE = named(
  'RequestPage',
  object(
    { requests: list(REQUEST_RECORD) },
    {
      continuation: text({ description: 'Cursor of the next page; absent on the last one.' }),
      total: integer({ minimum: 0, description: 'Total number of matches; only with `includeTotal`.' }),
      holds: list(HOLD, {
        description:
          'What is held of the transaction that `term` names, as `GET /holds` lists it; on the first page, where there is some. ' +
          'Money that arrived outside of all requests is only here.',
      }),
    },
  ),
);
