import type { DepositStep } from '../../../contract/deposits.js';
import type { ChainId, Hex } from '../../../contract/ids.js';
import type { TradeType } from '../../../domain/quote.js';
import { topUpId } from '../../../domain/top-up.js';
import type { QuoteAnswer } from '../../../quoting/answer.js';
import type { QuoteAsk } from '../../../quoting/ask.js';
import type { FakeChain } from '../../fake-chain/fake-chain-types.js';

/** What a client was promised, from the answer it got and nothing else. */
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
  /** Least that may be delivered, late payments included. */
  readonly minimumOut: bigint;
  /** What the solver exchanges in the fill; absent: it pays what was asked for. */
  readonly swap?: {
    readonly given: string;
    /** Smallest unit of it. */
    readonly most: bigint;
    /** Where that fails the recipient may get what the solver gives. */
    readonly fallback: boolean;
  };
  /** Native coin that goes beside the output; absent: none. */
  readonly topUp?: PromisedCoin;
  /** Its rate is kept for whoever is in a block by then; absent: it is not. */
  readonly fixed?: PromisedRate;
  /** What its payer executes; absent: it is paid for with a deposit. */
  readonly own?: { readonly feeTo: string; readonly fee: bigint };
  /** What its payer swaps into the depository; absent: it deposits what it pays with. */
  readonly swapIn?: PromisedSwapIn;
  /** Whoever asked. */
  readonly payer: string;
  readonly recipient: string;
  /** Who refunds must go to. */
  readonly refundTo: string;
  /** Unix seconds. */
  readonly deadline: number;
  /** What others were promised of what is paid in. */
  readonly appFees: readonly { readonly recipient: string; readonly bps: number }[];
}

export interface PromisedSwapIn {
  readonly currency: string;
  /** Most of what is deposited that buys output; the rest goes back. */
  readonly most: bigint;
  /** Least that is deposited, or nothing happens. */
  readonly least: bigint;
  /** What its wallet is to sign. */
  readonly steps: readonly DepositStep[];
  /** What an exchange on the way back may lose, hundredths of a per cent, and whether to the market's price it may lose anything. */
  readonly slippageBps: number;
  readonly anyImpact: boolean;
}

export interface PromisedRate {
  /** Who answers for what is kept. */
  readonly key: string;
  /** Unix milliseconds. */
  readonly until: number;
  /** Micro-USD that are kept at least. */
  readonly value: bigint;
}

export interface PromisedCoin {
  /** What it is paid under. */
  readonly id: Hex;
  readonly currency: string;
  /** Smallest unit. */
  readonly most: bigint;
  readonly least: bigint;
  /** What it was worth of what is paid in, when it was promised: at least and at most, with all that is taken for it. */
  readonly value: bigint;
  readonly part: bigint;
  /** Calls of the order spend of it: without it there is no fill. */
  readonly isNeeded: boolean;
}

/** What the solver gives at most. */
export function givenBy({ swap, currencyOut, expectedOut }: Promised): {
  readonly currency: string;
  readonly most: bigint;
} {
  return swap === undefined ? { currency: currencyOut, most: expectedOut } : { currency: swap.given, most: swap.most };
}

/** @param key of whoever asked for a fixed rate. */
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
    ...ownOf(answer),
    ...fixedOf(answer, key),
    payer: ask.user,
    recipient: payment.recipient,
    refundTo: refund.recipient,
    deadline: orderData.output.deadline,
    appFees: (ask.appFees ?? []).map(({ recipient, fee }) => ({ recipient, bps: Number(fee) })),
  };
}

const MICRO = 1_000_000;
/** Of each figure in dollars, which is rounded. */
const ROUNDED = 1n;

function fixedOf({ details }: QuoteAnswer, key: string | null): Pick<Promised, 'fixed'> {
  if (!details.isFixedRate || key === null) return {};
  return { fixed: { key, until: details.expiresAt, value: microUsd(details.currencyIn.amountUsd) } };
}

/** What a wallet is asked to sign that executes an order. */
function ownOf({ steps }: QuoteAnswer): Pick<Promised, 'own'> {
  const last = steps.at(-1);
  if (last?.id !== 'send' && last?.id !== 'swap') return {};
  const { feeTo, fee } = JSON.parse(String(last.items[0]?.data['data'])) as { feeTo: string; fee: string };
  return { own: { feeTo, fee: BigInt(fee) } };
}

/** More than that above the quote is no part of the promise. */
const MOST_ABOVE = 101n;

/** Where a client names none. */
const USUAL_SLIPPAGE_BPS = 100;

function swapInOf(ask: QuoteAsk, { steps }: QuoteAnswer, amountIn: bigint): Pick<Promised, 'swapIn'> {
  const { least, swap } = wordsOf(steps.at(-1));
  if (swap === undefined || least === undefined || steps.at(-1)?.id !== 'deposit') return {};
  const most = ask.tradeType === 'EXACT_INPUT' ? (amountIn * MOST_ABOVE) / 100n : amountIn;
  const asked = steps as Parameters<FakeChain['pay']>[0];
  const slippageBps = Number(ask.slippageTolerance ?? USUAL_SLIPPAGE_BPS);
  const tolerated = { slippageBps, anyImpact: ask.overridePriceImpact === true };
  return { swapIn: { currency: swap.input, most, least: BigInt(least), steps: asked, ...tolerated } };
}

function wordsOf(step: QuoteAnswer['steps'][number] | undefined): {
  readonly least?: string;
  readonly swap?: { readonly input: string };
} {
  return JSON.parse(String(step?.items[0]?.data['data']));
}

/** Most of a deposit that is delivered the worth of. */
export function mostIn({ amountIn, swapIn }: Promised): bigint {
  return swapIn?.most ?? amountIn;
}

/** Its value is told in dollars, and so is what is taken for the risk of its price, among what exchanging costs. */
function coinOf({ txs = [] }: QuoteAsk, { details, fees, protocol }: QuoteAnswer): Pick<Promised, 'topUp'> {
  const { currencyGasTopup: coin, swapImpact } = details;
  if (coin === undefined) return {};
  // What is deposited, where that is not what is paid with.
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
