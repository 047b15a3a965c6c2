import type { DepositStep } from '../../../contract/deposits.js';
import type { ChainId, Hex } from '../../../contract/ids.js';
import type { TradeType } from '../../../domain/quote.js';
import { topUpId } from '../../../domain/top-up.js';
import type { QuoteAnswer } from '../../../quoting/answer.js';
import type { QuoteAsk } from '../../../quoting/ask.js';
import type { FakeChain } from '../../fake-chain/fake-chain-types.js';

export interface Promised {
  readonly requestId: Hex;
  readonly orderId: Hex;
  readonly tradeType: TradeType;
  readonly originChainId: ChainId;
  readonly currencyIn: string;
  readonly amountIn: bigint;
  readonly destinationChainId: ChainId;
  readonly currencyOut: string;
  readonly expectedOut: bigint;
  readonly minimumOut: bigint;
  /** Swap in the fill; absent: direct payment. */
  readonly swap?: {
    readonly given: string;
    /** Smallest unit. */
    readonly most: bigint;
    /** On failure the recipient may get the solver's currency. */
    readonly fallback: boolean;
  };
  /** Gas top-up; absent: none. */
  readonly topUp?: PromisedTopUp;
  /** Fixed rate for payments in a block by then; absent: none. */
  readonly fixed?: PromisedRate;
  /** The payer executes it; absent: paid by a deposit. */
  readonly payerSwap?: { readonly feeTo: string; readonly fee: bigint };
  /** Swap into the depository; absent: a direct deposit. */
  readonly swapIn?: PromisedSwapIn;
  /** Paid by plain transfers to it; absent: by a deposit. */
  readonly address?: PromisedAddress;
  readonly payer: string;
  readonly recipient: string;
  readonly refundTo: string;
  /** Unix seconds. */
  readonly deadline: number;
  readonly appFees: readonly { readonly recipient: string; readonly bps: number }[];
}

export interface PromisedAddress {
  /** Terms of one transfer to an open address, whose order no one else can name. */
  readonly isTransfer?: true;
  readonly address: string;
  readonly type: 'strict' | 'open';
  /** The client named a refund address; otherwise nothing is refunded. */
  readonly refunds: boolean;
  /** Stands in for a blocked party; absent: nothing does. */
  readonly recovery?: string;
}

export interface PromisedSwapIn {
  readonly currency: string;
  /** Maximum of a deposit that buys output; the rest is refunded. */
  readonly most: bigint;
  /** Minimum deposit, otherwise nothing happens. */
  readonly least: bigint;
  readonly steps: readonly DepositStep[];
  /** Tolerated loss of a refund swap, basis points. `anyImpact` allows any loss against the market price. */
  readonly slippageBps: number;
  readonly anyImpact: boolean;
}

export interface PromisedRate {
  /** API key that the reservation counts against. */
  readonly key: string;
  /** Unix milliseconds. */
  readonly until: number;
  /** Minimum reserved micro-USD. */
  readonly value: bigint;
}

export interface PromisedTopUp {
  readonly id: Hex;
  readonly currency: string;
  /** Smallest unit. */
  readonly most: bigint;
  readonly least: bigint;
  /** Promised value in input, with charges: lower and upper bound. */
  readonly value: bigint;
  readonly part: bigint;
  /** The order's calls spend it: no fill without it. */
  readonly isNeeded: boolean;
}

export function givenBy({ swap, currencyOut, expectedOut }: Promised): {
  readonly currency: string;
  readonly most: bigint;
} {
  return swap === undefined ? { currency: currencyOut, most: expectedOut } : { currency: swap.given, most: swap.most };
}

/** @param key of the client with a fixed rate. */
export function promisedBy(ask: QuoteAsk, answer: QuoteAnswer, key: string | null): Promised {
  const { orderId, orderData } = answer.protocol.v2;
  const payment = orderData.output.payments[0];
  const refund = orderData.inputs[0]?.refunds[0];
  const input = orderData.inputs[0]?.payment;
  const requestId = answer.steps[0]?.requestId;
  const { inputCurrency: gives } = answer.details.route.destination;
  const given = gives.currency.address;
  const swap = { given, most: BigInt(gives.amount), fallback: ask.useFallbacks === true };
  if (!payment || !refund || !input || !requestId) throw new Error('an answer without order data');
  return {
    requestId: requestId as Hex,
    orderId: orderId as Hex,
    tradeType: ask.tradeType,
    originChainId: ask.originChainId,
    currencyIn: input.currency,
    amountIn: BigInt(input.amount),
    destinationChainId: ask.destinationChainId,
    currencyOut: payment.currency,
    expectedOut: BigInt(payment.expectedAmount),
    minimumOut: BigInt(payment.minimumAmount),
    ...(given === payment.currency ? {} : { swap }),
    ...coinOf(ask, answer),
    ...swapInOf(ask, answer, BigInt(input.amount)),
    ...payerSwapOf(answer),
    ...fixedOf(answer, key),
    ...addressOf(ask, answer),
    payer: ask.user,
    recipient: payment.recipient,
    refundTo: refund.recipient,
    deadline: orderData.output.deadline,
    appFees: (ask.appFees ?? []).map(({ recipient, fee }) => ({ recipient, bps: Number(fee) })),
  };
}

const MICRO = 1_000_000;
/** Rounding of each dollar figure. */
const ROUNDED = 1n;

function fixedOf({ details }: QuoteAnswer, key: string | null): Pick<Promised, 'fixed'> {
  if (!details.isFixedRate || key === null) return {};
  return { fixed: { key, until: details.expiresAt, value: microUsd(details.currencyIn.amountUsd) } };
}

function addressOf({ strict, refundTo, recoveryAddress }: QuoteAsk, { steps }: QuoteAnswer): Pick<Promised, 'address'> {
  const address: string = steps[0]?.depositAddress ?? '';
  if (address === '') return {};
  const type = strict === true ? 'strict' : 'open';
  const recovery = recoveryAddress === undefined ? {} : { recovery: recoveryAddress };
  return { address: { address, type, refunds: refundTo !== undefined, ...recovery } };
}

function payerSwapOf({ steps }: QuoteAnswer): Pick<Promised, 'payerSwap'> {
  const last = steps.at(-1);
  if (last?.id !== 'send' && last?.id !== 'swap') return {};
  const { feeTo, fee } = JSON.parse(String(last.items[0]?.data['data'])) as { feeTo: string; fee: string };
  return { payerSwap: { feeTo, fee: BigInt(fee) } };
}

/** The promise covers at most this much above the quote. */
const MAX_ABOVE = 101n;

const USUAL_SLIPPAGE_BPS = 100;

function swapInOf(ask: QuoteAsk, { steps }: QuoteAnswer, amountIn: bigint): Pick<Promised, 'swapIn'> {
  const { least, swap } = wordsOf(steps.at(-1));
  if (swap === undefined || least === undefined || steps.at(-1)?.id !== 'deposit') return {};
  const most = ask.tradeType === 'EXACT_INPUT' ? (amountIn * MAX_ABOVE) / 100n : amountIn;
  const asked = steps as Parameters<FakeChain['pay']>[0];
  const slippageBps = Number(ask.slippageTolerance ?? USUAL_SLIPPAGE_BPS);
  const tolerated = { slippageBps, anyImpact: ask.overridePriceImpact === true };
  return { swapIn: { currency: swap.input, most, least: BigInt(least), steps: asked, ...tolerated } };
}

function wordsOf(step: QuoteAnswer['steps'][number] | undefined): {
  readonly least?: string;
  readonly swap?: { readonly input: string };
} {
  // A step that is signed has no transaction.
  return JSON.parse(String(step?.items[0]?.data['data'] ?? '{}'));
}

export function mostIn({ amountIn, swapIn }: Promised): bigint {
  return swapIn?.most ?? amountIn;
}

/** Reported in dollars; its price-risk charge is part of the swap cost. */
function coinOf({ txs = [] }: QuoteAsk, { details, fees, protocol }: QuoteAnswer): Pick<Promised, 'topUp'> {
  const { currencyGasTopup: coin, swapImpact } = details;
  if (coin === undefined) return {};
  // Deposited currency, where it differs from the paid one.
  const deposited = details.route.origin.outputCurrency;
  const inMicroUsd = microUsd(deposited.amountUsd);
  const paid = BigInt(deposited.amount);
  const worth = microUsd(coin.amountUsd);
  const whole = worth - microUsd(swapImpact.usd) + 2n * ROUNDED;
  return {
    topUp: {
      id: topUpId(protocol.v2.orderId as Hex),
      currency: coin.currency.address,
      most: BigInt(coin.amount),
      least: BigInt(coin.minimumAmount),
      value: ((worth - ROUNDED) * paid) / (inMicroUsd + ROUNDED),
      part: (whole * paid) / (inMicroUsd - ROUNDED) + BigInt(fees.relayerGas.amount) + 1n,
      isNeeded: txs.some(({ value }) => BigInt(value) > 0n),
    },
  };
}

function microUsd(usd: string): bigint {
  return BigInt(Math.round(Number(usd) * MICRO));
}
