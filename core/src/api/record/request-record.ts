import { addressView } from '../../capabilities/deposit-addresses/record.js';
import { isQuotedCall } from '../../capabilities/gasless/call-body.js';
import { burntBy } from '../../capabilities/gasless/record.js';
import { balanceCurrencies } from '../../capabilities/sponsorship/deposits.js';
import { type PaidIn, sponsorshipRecord } from '../../capabilities/sponsorship/outcome.js';
import type { ChainId } from '../../contract/ids.js';
import type { ShownRequest } from '../../contract/store.js';
import type { QuoteBody } from '../../domain/quote.js';
import { amountView } from '../../quoting/currency-view.js';
import type { ApiDeps } from '../api.js';
import { actualFees, actualOf } from './actual.js';
import { depositView, isAsQuoted, paidOn, swappedFrom } from './arrived.js';
import { pricedSides } from './currencies.js';
import { appFeesRecord, callSponsorship, feesRecord } from './fees-record.js';
import { protocolRecord } from './protocol-record.js';
import { refundedOf } from './refunded.js';
import { routeRecord } from './route-record.js';
import { type TransactionView, transactionViews } from './transactions.js';

type Deps = Pick<ApiDeps, 'chains' | 'policy' | 'orderSigner'>;

/**
 * Element of `requests`. Reasons are null if there is none.
 *
 * @param said json: metadata from a client.
 */
export function requestRecord(view: ShownRequest, deps: Deps, said?: string) {
  const { request } = view;
  const body = JSON.parse(request.body) as QuoteBody;
  const sides = pricedSides(body, deps.chains);
  const actual = actualOf(request);
  const fees = actualFees(body, actual);
  const back = refundedOf(view);
  const shown = (amount: bigint, currency: string, chainId: ChainId) =>
    depositView(view, body, sides.origin, deps.chains, { chainId, currency, amount });
  const { currency } = body.origin;
  const arrived = shown(actual?.amountIn ?? 0n, actual?.currencyIn ?? currency, paidOn(view, body));
  const given = swappedFrom(view, body);
  const paid = given === null ? arrived : amountView(sides.paid.view, given, sides.paid.usd);
  // A child's body repeats what was paid for its parent.
  const pays = body.requestId === request.id && (body.sponsor !== undefined || body.call !== undefined);
  const kept = back && isAsQuoted(body, back.chainId, back.currency) ? back.kept : 0n;
  const transactions = transactionViews(view.transactions);
  return {
    id: request.id,
    status: request.status === 'fallback' ? 'refund' : request.status,
    user: request.user,
    recipient: request.recipient,
    sender: request.sender,
    refundTo: request.refundTo,
    supersededByRequestId: body.supersededBy ?? null,
    parentRequestId: request.parentRequestId,
    depositAddress: addressView(request, body, view.transactions),
    requestType: request.requestType,
    features: body.features,
    data: {
      slippageTolerance: body.slippageBps.toString(),
      failReason: request.failReason,
      refundFailReason: request.refundFailReason,
      ...failedFields(request.failed, [...transactions.inTxs, ...transactions.outTxs]),
      usesExternalLiquidity:
        body.swapIn !== undefined || body.swapOut !== undefined || (body.payerSwap?.sources.length ?? 0) > 0,
      timeEstimate: body.timeEstimate,
      triggeredByFastFill: body.fastFill === undefined || body.fastFill.state === 'asked' ? null : true,
      ...transactions,
      fees: feesRecord(body, sides.origin, fees),
      appFees: appFeesRecord(body, sides.origin, fees),
      feeSponsorship:
        body.call && !isQuotedCall(body)
          ? callSponsorship(body.call, sides.origin, burntBy(request), paidIn(deps))
          : sponsorshipRecord(body, sides.origin, fees, kept, pays ? paidIn(deps) : undefined),
      route: routeRecord(body, sides, actual, { paid, arrived }),
      quoteOraclePrice: null,
      refundCurrencyData: actual?.back
        ? amountView(sides.paid.view, actual.back.amount, sides.paid.usd)
        : back && shown(back.amount, back.currency, back.chainId),
      externalMetadata: said === undefined ? null : (JSON.parse(said) as object),
    },
    protocol: protocolRecord(view, deps.chains, {
      address: deps.orderSigner.address,
      chain: deps.policy.solverChain,
    }),
    createdAt: new Date(request.createdAt).toISOString(),
    updatedAt: new Date(request.updatedAt).toISOString(),
  };
}

/** The first of the currencies that top up app balances, of chains that all clients may see. */
function paidIn({ chains, policy }: Deps): PaidIn | undefined {
  const first = balanceCurrencies({ chains, policy }).find(
    ({ chainId }) => chains.get(chainId)?.facts.private === undefined,
  );
  const currency = first && chains.get(first.chainId)?.currency(first.currency);
  return currency && { chainId: first.chainId, address: currency.address, decimals: currency.decimals };
}

/** Absent if no fill failed. The call of a transaction that the payer sent is what the chain says of it. */
function failedFields(failed: string | null, transactions: readonly TransactionView[]): object {
  if (failed === null) return {};
  const stored = JSON.parse(failed) as { readonly txHash?: string; readonly block?: number; readonly call?: object };
  const call = stored.call ?? callOf(transactions.find(({ txHash }) => txHash === stored.txHash)?.data);
  return {
    ...(stored.txHash === undefined ? {} : { failedTxHash: stored.txHash }),
    ...(stored.block === undefined ? {} : { failedTxBlockNumber: stored.block }),
    ...(call === undefined ? {} : { failedCallData: call }),
  };
}

/** Undefined where the chain's transactions are no single call. */
function callOf(described: unknown): object | undefined {
  const { from, to, data, value } = (described ?? {}) as Readonly<Record<string, unknown>>;
  const call = { from, to, data, value };
  return Object.values(call).every((part) => typeof part === 'string') ? call : undefined;
}
