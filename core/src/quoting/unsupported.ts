import type { ChainCapabilities } from '../contract/chain-adapter.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/catalogue.js';
import type { QuoteAsk } from './ask.js';

interface NotServed {
  readonly field: keyof QuoteAsk;
  /** What the operator would have to configure. */
  readonly hint?: string;
  readonly asks: (ask: QuoteAsk, origin: ChainCapabilities) => boolean;
  readonly code: ErrorCode;
  readonly what: string;
}

const execution = (field: keyof QuoteAsk, asks: NotServed['asks'], what: string): NotServed => ({
  field,
  asks,
  code: 'UNSUPPORTED_EXECUTION_TYPE',
  what,
});

const swapSources = (
  field: 'includedSwapSources' | 'includedOriginSwapSources' | 'includedDestinationSwapSources',
): NotServed => ({
  field,
  asks: (ask) => (ask[field]?.length ?? 0) > 0,
  code: 'NO_SWAP_ROUTES_FOUND',
  what: 'Swap sources',
});

/** Ways to execute that this version does not serve. A client that asks for one is told so, never given something else. */
const NOT_SERVED: readonly NotServed[] = [
  {
    field: 'txs',
    asks: (ask) => (ask.txs?.length ?? 0) > 0,
    code: 'EXTRA_TXS_NOT_SUPPORTED',
    what: 'Destination calls',
  },
  {
    field: 'gasLimitForDepositSpecifiedTxs',
    asks: (ask) => (ask.gasLimitForDepositSpecifiedTxs ?? 0) > 0,
    code: 'INVALID_GAS_LIMIT_FOR_DEPOSIT_SPECIFIED_TXS',
    what: 'Calls that a deposit names',
  },
  execution('authorizationList', (ask) => (ask.authorizationList?.length ?? 0) > 0, 'Authorizations'),
  execution('useDepositAddress', (ask) => ask.useDepositAddress === true, 'Deposit addresses'),
  execution('strict', (ask) => ask.strict === true, 'Deposit addresses'),
  execution('recoveryAddress', (ask) => ask.recoveryAddress !== undefined, 'Deposit addresses'),
  execution('usePermit', (ask) => ask.usePermit === true, 'Permits'),
  execution('explicitDeposit', (ask) => ask.explicitDeposit === false, 'Deposits by plain token transfer'),
  execution('topupGas', (ask) => ask.topupGas === true, 'Gas top-up'),
  execution('useExternalLiquidity', (ask) => ask.useExternalLiquidity === true, 'External liquidity'),
  execution('subsidizeFees', (ask) => ask.subsidizeFees === true, 'Fee sponsorship'),
  execution('subsidizeRent', (ask) => ask.subsidizeRent === true, 'Fee sponsorship'),
  execution('sponsoredFeeComponents', (ask) => (ask.sponsoredFeeComponents?.length ?? 0) > 0, 'Fee sponsorship'),
  execution('fixedRate', (ask) => ask.fixedRate !== undefined, 'Fixed rates'),
  execution(
    'depositFeePayer',
    (ask, origin) => ask.depositFeePayer !== undefined && origin.depositFeePayer !== true,
    'Separate fee payers',
  ),
  {
    ...execution('originChainId', (_, origin) => origin.payerUtxos === false, 'Transactions to sign from this chain'),
    hint: 'no source of outputs of payers is configured for it',
  },
  swapSources('includedSwapSources'),
  swapSources('includedOriginSwapSources'),
  swapSources('includedDestinationSwapSources'),
];

/** The first thing asked for that is not served, from this origin; undefined when all is. */
export function refuseUnsupported(ask: QuoteAsk, origin: ChainCapabilities): ApiError | undefined {
  const found = NOT_SERVED.find((one) => one.asks(ask, origin));
  if (!found) return undefined;
  const served = `${found.what} are not served`.replace(/(sponsorship|top-up|liquidity) are/, '$1 is');
  const message = found.hint === undefined ? served : `${served}: ${found.hint}`;
  return apiError(found.code, message, { field: found.field, reason: found.hint ?? 'not served' });
}
