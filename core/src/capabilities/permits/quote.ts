import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DepositStep } from '../../contract/deposits.js';
import type { TypedData } from '../../contract/permits.js';
import { convert } from '../../domain/money.js';
import type { PermitPromise } from '../../domain/quote.js';
import { type ApiError, apiError, invalidRequest, laterError } from '../../errors/api-error.js';
import type { QuoteAsk } from '../../quoting/ask.js';
import type { QuoteFacts } from '../../quoting/body.js';
import { depositTooLow } from '../../quoting/fillable.js';
import type { Priced } from '../../quoting/plan-stage.js';
import type { QuotingDeps } from '../../quoting/quoting-deps.js';
import type { Stage } from '../../quoting/stage.js';
import { asked, type Caller } from '../../quoting/within.js';

const DEFAULT_EXPIRY_S = 600;
const [MIN_EXPIRY_S, MAX_EXPIRY_S] = [30, 3_600];
const RETRY_AFTER_S = 5;

function isRefused(reason: string): ApiError {
  return apiError('UNSUPPORTED_EXECUTION_TYPE', `usePermit: ${reason}`, { field: 'usePermit', reason });
}

export interface AskedPermit {
  /** From the quote on. */
  readonly seconds: number;
}

/** Null: the payer deposits by a transaction. */
export function askedPermit(ask: QuoteAsk, origin: ChainAdapter): Stage<AskedPermit | null> {
  if (ask.usePermit !== true) return null;
  if (ask.useDepositAddress === true) return isRefused('a deposit address is paid by a plain transfer');
  if (ask.explicitDeposit === false) return isRefused('a plain transfer is sent by its payer');
  if (ask.depositFeePayer !== undefined) return isRefused('the service pays the network fee of the deposit');
  const currency = origin.parseAddress(ask.originCurrency);
  if (currency.ok && origin.currency(currency.value)?.isNative === true)
    return isRefused('native coin takes no permits');
  const { permitExpiry: seconds = DEFAULT_EXPIRY_S } = ask;
  if (seconds >= MIN_EXPIRY_S && seconds <= MAX_EXPIRY_S) return { seconds };
  return invalidRequest('permitExpiry', `must be from ${MIN_EXPIRY_S} to ${MAX_EXPIRY_S} seconds`);
}

/** Within one chain, where the payer could execute the swap itself, the app balance pays the execution. */
export function refuseUnsponsored({ ask, route, sponsor }: Priced): ApiError | undefined {
  if (ask.permit === null || route.origin.chain.facts.id !== route.destination.chain.facts.id) return undefined;
  const isPaid = sponsor?.components.includes('execution') === true && BigInt(sponsor.quoted.units) > 0n;
  // guard: same-chain-permits-are-sponsored
  if (isPaid) return undefined;
  return isRefused('within one chain the app balance must pay the execution (`subsidizeFees`), and its cap be above 0');
}

/**
 * Invariant (G12): a deposit is worth the gas that the service pays to make it, so that it bears it where it is not filled.
 * Sponsored fees are reserved when a fill is decided, which is after that.
 */
export function refuseWorthlessDeposit({ ask, route, market, pricing }: Priced): ApiError | undefined {
  const { chain, currency } = route.origin;
  const { permitCost, originNativeUsd, inUsd } = market;
  if (permitCost === undefined) return undefined;
  const least = convert(permitCost, chain.facts.currency.decimals, originNativeUsd, currency.decimals, inUsd, 'ceil');
  // guard: permits-are-worth-their-gas
  if (pricing.amounts.amountIn >= least) return undefined;
  return depositTooLow(ask, route, pricing.terms, least, 'less does not cover the gas of its permit');
}

export interface OfferedPermit {
  readonly approvals: readonly DepositStep[];
  readonly api: string;
  readonly sign: TypedData;
  readonly promise: PermitPromise;
}

/** Undefined: the payer deposits by a transaction. */
export async function offerPermit(
  { ask, route, market, pricing, promised }: QuoteFacts,
  caller: Caller,
  { clock }: Pick<QuotingDeps, 'clock'>,
): Promise<Stage<OfferedPermit> | undefined> {
  if (ask.permit === null) return undefined;
  const { chain, currency } = route.origin;
  const { permits } = chain.capabilities;
  if (permits === undefined || market.permitWork === undefined) throw new Error(`${chain.facts.id} has no permits`);
  const { address, symbol } = currency;
  if (chain.transferFee?.(address) !== undefined)
    return isRefused(`${symbol} has a transfer fee, which a permit pays twice`);
  const until = Math.min(Math.floor(promised.createdAt / 1000) + ask.permit.seconds, promised.order.output.deadline);
  const wish = {
    ...{ payer: ask.user, currency: address, amount: pricing.amounts.amountIn },
    ...{ orderId: promised.orderId, deadline: until },
  };
  const offered = await asked(clock, caller, (asker) => permits.offer(wish, asker));
  if (offered === 'late')
    return laterError('RPC_HTTP_ERROR', `${chain.facts.displayName} does not answer in time`, RETRY_AFTER_S);
  switch (offered.is) {
    case 'unavailable':
      return laterError('RPC_HTTP_ERROR', offered.message, RETRY_AFTER_S);
    case 'refused':
      return isRefused(offered.message);
    case 'offered': {
      const { approvals, api, sign, kind, terms } = offered;
      const promise = { kind, terms, work: market.permitWork.toString(), deadlineAt: until * 1000 };
      return { approvals, api, sign, promise };
    }
  }
}

/** Step that a client signs, and sends back to `POST /execute/permits`. */
export function permitStep(
  { sign, promise, api }: OfferedPermit,
  requestId: string,
  { origin, destination }: QuoteFacts['route'],
) {
  const { kind } = promise;
  const { id, displayName } = origin.chain.facts;
  const what = `deposit ${origin.currency.symbol} on ${displayName}`;
  return {
    id: id === destination.chain.facts.id ? 'authorize2' : 'authorize1',
    action: 'Sign the permit in your wallet',
    description: `Allows the service to ${what} for this order alone, without gas of your own`,
    kind: 'signature',
    requestId,
    depositAddress: '',
    items: [
      {
        status: 'incomplete',
        data: {
          sign: { signatureKind: 'eip712', ...sign },
          post: { endpoint: '/execute/permits', method: 'POST', body: { kind, requestId, api } },
        },
        check: { endpoint: `/intents/status/v3?requestId=${requestId}`, method: 'GET' },
      },
    ],
  } as const;
}
