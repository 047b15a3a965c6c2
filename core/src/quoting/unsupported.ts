import type { ChainAdapter } from '../contract/chain-adapter.js';
import { type ApiError, apiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/catalogue.js';
import type { QuoteAsk } from './ask.js';

export type Feature = keyof QuoteAsk;

export interface Ends {
  readonly origin: ChainAdapter;
  readonly destination: ChainAdapter;
}

export type Claims = (feature: Feature, ends: Ends) => boolean;

interface Asked {
  readonly field: Feature;
  readonly hint?: string;
  readonly asks: (ask: QuoteAsk) => boolean;
  readonly code: ErrorCode;
  readonly what: string;
}

const execution = (field: keyof QuoteAsk, asks: Asked['asks'], what: string): Asked => ({
  field,
  asks,
  code: 'UNSUPPORTED_EXECUTION_TYPE',
  what,
});

/**
 * In order of reporting. A feature that no stage claims is refused, never silently replaced; rows stay when a stage
 * begins to serve them.
 */
const FEATURES: readonly Asked[] = [
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
  // A deposit address is paid by a plain transfer anyway.
  execution(
    'explicitDeposit',
    (ask) => ask.explicitDeposit === false && ask.useDepositAddress !== true,
    'Deposits by plain token transfer',
  ),
  execution('useNonceMapping', (ask) => ask.useNonceMapping === true, 'Nonce mappings'),
  execution('topupGas', (ask) => ask.topupGas === true, 'Gas top-up'),
  execution('useExternalLiquidity', (ask) => ask.useExternalLiquidity === true, 'External liquidity'),
  execution('subsidizeFees', (ask) => ask.subsidizeFees === true, 'Fee sponsorship'),
  execution('subsidizeRent', (ask) => ask.subsidizeRent === true, 'Fee sponsorship'),
  execution('sponsoredFeeComponents', (ask) => (ask.sponsoredFeeComponents?.length ?? 0) > 0, 'Fee sponsorship'),
  {
    ...execution('fixedRate', (ask) => ask.fixedRate !== undefined, 'Fixed rates'),
    hint: 'the operator fixes none (`service.fixedRate`)',
  },
  execution('depositFeePayer', (ask) => ask.depositFeePayer !== undefined, 'Separate fee payers'),
  {
    // Any wallet pays a deposit address: there is nothing to sign.
    ...execution('originChainId', (ask) => ask.useDepositAddress !== true, 'Transactions to sign from this chain'),
    hint: 'no source of outputs of payers is configured for it',
  },
];

export function refuseUnsupported(ask: QuoteAsk, ends: Ends, claims: Claims): ApiError | undefined {
  const found = FEATURES.find((one) => one.asks(ask) && !claims(one.field, ends));
  if (!found) return undefined;
  const served = `${found.what} are not served`.replace(/(sponsorship|top-up|liquidity) are/, '$1 is');
  const message = found.hint === undefined ? served : `${served}: ${found.hint}`;
  return apiError(found.code, message, { field: found.field, reason: found.hint ?? 'not served' });
}
