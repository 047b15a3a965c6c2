import { senderNonceText } from '../../capabilities/nonce-mappings/sent-by.js';
import type { DepositObservation } from '../../contract/deposits.js';
import type { ChainId, OrderId, RequestId, UnixMs } from '../../contract/ids.js';
import type { DepositRow, RequestRow, TombstoneRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import { listingFacts } from '../../domain/listing-facts.js';
import type { OrderData } from '../../domain/order.js';
import { depositPosting, gasPosting } from '../../domain/postings.js';
import type { QuoteBody } from '../../domain/quote.js';
import { paidSide } from '../../domain/swap-in.js';
import { deliveredSide } from '../../domain/swap-out.js';
import { chainOf, type EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { noteTransaction } from './requests.js';
import { depositValue } from './value.js';

/**
 * On (1) or off (-1) the canonical chain. `version` gives each occurrence its own posting.
 *
 * @param again left with another amount in the same change set, which keeps its version.
 */
export function bookDeposit(
  context: EngineContext,
  work: UnitOfWork,
  deposit: DepositRow,
  sign: 1n | -1n,
  again = false,
): void {
  const meta = {
    groupId: `deposit:${deposit.fundingKey}:${deposit.version}:${sign}${again ? ':anew' : ''}`,
    requestId: deposit.requestId,
    legId: null,
    createdAt: context.clock.now(),
  };
  work.post(depositPosting(meta, deposit, sign));
}

/** Once, in the finalising change set; never reversed. */
export function bookCost(
  context: EngineContext,
  work: UnitOfWork,
  { fundingKey, chainId, requestId }: DepositRow,
  { cost = 0n }: DepositObservation,
): void {
  const native = chainOf(context, chainId).facts.currency.address;
  const meta = { groupId: `taken:${fundingKey}`, requestId, legId: null, createdAt: context.clock.now() };
  work.post(gasPosting(meta, chainId, account.depository(chainId, native), native, cost, 1n));
}

/**
 * Cost of final transfers without a row, beyond the native coin that they brought.
 *
 * Not guaranteed: booked once. A repeated batch books it again; the difference is found as a surplus.
 */
export function bookCostOfIgnored(
  context: EngineContext,
  work: UnitOfWork,
  chainId: ChainId,
  ignored: readonly DepositObservation[],
): void {
  const native = chainOf(context, chainId).facts.currency.address;
  const lost = ignored.reduce(
    (sum, { state, cost = 0n, currency, amount }) =>
      state === 'final' ? sum + cost - (currency === native ? amount : 0n) : sum,
    0n,
  );
  if (lost <= 0n) return;
  const pot = account.depository(chainId, native);
  const meta = { requestId: null, legId: null, createdAt: context.clock.now() };
  work.post(
    gasPosting({ groupId: `ignored:${pot}:${context.random.hex(8)}`, ...meta }, chainId, pot, native, lost, 1n),
  );
}

/** A transfer by an internal call has no hash to be shown. */
export function noteDeposit(
  context: EngineContext,
  work: UnitOfWork,
  deposit: DepositRow,
  status: 'success' | 'failure',
): void {
  if (deposit.transactionHash === '') return;
  noteTransaction(context, work, {
    id: `${deposit.requestId}:deposit:${deposit.fundingKey}`,
    requestId: deposit.requestId,
    role: 'deposit',
    chainId: deposit.chainId,
    hash: deposit.transactionHash,
    block: deposit.height,
    timestamp: deposit.blockTime === null ? null : Math.floor(deposit.blockTime / 1000),
    status,
  });
}

export const NO_RIVAL = { rivalHeight: null, rivalBlockId: null } as const;

export function placeOf(
  observation: DepositObservation,
): Pick<DepositRow, 'state' | 'height' | 'blockId' | 'blockTime' | 'rivalHeight' | 'rivalBlockId'> {
  return {
    state: observation.state,
    height: observation.block?.height ?? null,
    blockId: observation.block?.id ?? null,
    blockTime: observation.block?.timestamp ?? null,
    ...NO_RIVAL,
  };
}

interface Belonging {
  /** The deposit's own request, or that of the order it pays. */
  readonly requestId: RequestId;
  /** Undefined where the deposit names none. */
  readonly orderId: OrderId | undefined;
  readonly quote: QuoteBody | undefined;
}

export function newDeposit(
  context: EngineContext,
  observation: DepositObservation,
  { requestId, orderId, quote }: Belonging,
): DepositRow {
  const { fundingKey, chainId, transactionHash, currency, amount, depositor, paid } = observation;
  return {
    fundingKey,
    version: 1,
    chainId,
    transactionHash,
    currency,
    amount,
    depositor,
    orderId: orderId ?? observation.orderId,
    ...placeOf(observation),
    seenAt: context.clock.now(),
    requestId,
    decision: 'waiting',
    valueUsd: depositValue(context, observation, quote),
    collectable: null,
    collectLegId: null,
    witnessed: null,
    paidWith: paid === undefined ? null : JSON.stringify({ ...paid, amount: paid.amount.toString() }),
    depositAddress: observation.depositAddress,
    salt: quote?.depositAddress?.salt ?? null,
    sweptAt: null,
    senderNonce: senderNonceText(observation),
  };
}

/** The delivered amount stays. */
export function actualIn(
  request: Pick<RequestRow, 'actual'>,
  deposit: Pick<DepositRow, 'amount' | 'currency'>,
): string {
  const before = JSON.parse(request.actual ?? '{"amountOut":null}') as object;
  return JSON.stringify({ ...before, amountIn: deposit.amount.toString(), currencyIn: deposit.currency });
}

type OfQuote = Pick<RequestRow, 'keyId' | 'amountUsd' | 'createdAt' | 'network'>;

/** @param parent null: the request that the quote promised; else a child with an id of its own. */
export function requestOfQuote(
  context: Pick<EngineContext, 'clock' | 'random'>,
  body: QuoteBody,
  quote: OfQuote,
  parent: RequestId | null,
  sender: string | null,
): RequestRow {
  const now = context.clock.now();
  const first = firstRequest(body, quote, { sender, now });
  if (parent === null) return first;
  return { ...first, id: context.random.hex(32), parentRequestId: parent, createdAt: now };
}

export function firstRequest(
  body: QuoteBody,
  quote: OfQuote,
  { sender, now }: { readonly sender: string | null; readonly now: UnixMs },
): RequestRow {
  return {
    id: body.requestId,
    orderId: body.orderId,
    parentRequestId: null,
    status: 'waiting',
    version: 1,
    eventCount: 0,
    user: body.user,
    recipient: body.recipient,
    sender,
    refundTo: body.refundTo,
    originChainId: body.origin.chainId,
    destinationChainId: body.destination.chainId,
    originCurrency: paidSide(body).currency,
    destinationCurrency: deliveredSide(body).currency,
    originSymbol: paidSide(body).symbol,
    destinationSymbol: deliveredSide(body).symbol,
    requestType: body.requestType,
    network: quote.network,
    keyId: quote.keyId,
    referrer: body.referrer,
    amountUsd: quote.amountUsd,
    ...listingFacts(body),
    fillTimeMs: null,
    depositAddress: body.depositAddress?.address ?? null,
    depositor: null,
    createdAt: quote.createdAt,
    updatedAt: now,
    deadlineAt: body.deadlineAt,
    fundingKey: null,
    failReason: null,
    refundFailReason: null,
    failed: null,
    actual: null,
    details: null,
    body: JSON.stringify(body),
  };
}

/** Undefined for an orphan. */
export function orderOf(request: RequestRow): QuoteBody | undefined {
  const body = JSON.parse(request.body) as QuoteBody;
  return body.order.inputs.length > 0 || body.tombstone ? body : undefined;
}

/**
 * Enough of an old quote to refund a very late transfer.
 *
 * @param orphan body without a quote.
 */
export function tombstoneBody(
  orphan: QuoteBody,
  { requestId, orderId, refundTo, originChainId, deadlineAt }: TombstoneRow,
): QuoteBody {
  const origin = { ...orphan.origin, chainId: originChainId };
  const rest = { requestId, orderId, refundTo, refundRecipient: refundTo, origin, deadlineAt, expiresAt: deadlineAt };
  return { ...orphan, ...rest, tombstone: true };
}

/** For a transfer that names no known order: owed back to its depositor. */
export function orphanBody(
  context: EngineContext,
  observation: DepositObservation,
  orderId: OrderId | undefined,
): QuoteBody {
  const chain = chainOf(context, observation.chainId);
  const currency = chain.currency(observation.currency);
  const side = {
    chainId: observation.chainId as ChainId,
    currency: observation.currency,
    symbol: currency?.symbol ?? '',
    decimals: currency?.decimals ?? 0,
  };
  const amount = observation.amount.toString();
  const now = context.clock.now();
  const order: OrderData = {
    version: 'v1',
    solverChainId: context.policy.solverChain,
    solver: '',
    salt: '0x',
    inputs: [],
    output: { chainId: chain.facts.name, payments: [], calls: [], deadline: 0, extraData: '0x' },
    fees: [],
  };
  return {
    version: 1,
    requestId: context.random.hex(32),
    orderId: orderId ?? context.random.hex(32),
    tradeType: 'EXACT_INPUT',
    requestType: 'Send',
    user: observation.depositor,
    recipient: observation.depositor,
    refundTo: null,
    refundRecipient: observation.depositor,
    origin: side,
    destination: side,
    amountIn: amount,
    amountOut: '0',
    minimumAmount: '0',
    slippageBps: 0,
    terms: {
      inDecimals: side.decimals,
      outDecimals: side.decimals,
      inUsd: '0',
      outUsd: '0',
      relayerGas: '0',
      serviceBps: 0,
      serviceFloor: '0',
      appFees: [],
    },
    fees: { gas: '0', relayerGas: '0', relayerService: '0', app: '0' },
    order,
    expiresAt: now,
    deadlineAt: now,
    ttlAt: null,
    timeEstimate: 0,
    features: [],
    referrer: null,
    forceRefund: false,
  };
}
