import type {
  Brought,
  CollectLeg,
  FillLeg,
  Hex,
  LegEffect,
  LegInstruction,
  OrderId,
  RefundLeg,
  SweepLeg,
} from '@causeway/core';
import { TransportError } from '@causeway/core/rpc';
import { toEventSelector } from 'viem/utils';
import { depositoryAbi, routerAbi, swapEntryAbi } from './abi.js';
import { NATIVE } from './addresses.js';
import { arrivedOf } from './arrived.js';
import { fillCall, type MoneyLeg } from './calls.js';
import { sweepEffect } from './deposit-addresses/swept.js';
import { type RpcLog, type RpcReceipt, receiptFee } from './rpc/types.js';
import { paymentOf } from './shares.js';
import { whySkipped } from './skipped.js';
import { wordAddress, wordsOf, wordUint } from './words.js';

const FILLED = toEventSelector(routerAbi[3]);
const SWAPPED = toEventSelector(routerAbi[6]);
const SHARE_FILLED = toEventSelector(routerAbi[8]);
const SKIPPED = toEventSelector(routerAbi[9]);
const WITHDRAWN = toEventSelector(depositoryAbi[7]);
const REFUND_SWAPPED = toEventSelector(swapEntryAbi[6]);

export const PAYOUTS: readonly Hex[] = [FILLED, SHARE_FILLED, SKIPPED, WITHDRAWN];

interface Ours {
  readonly router: Hex;
  readonly depository: Hex;
  /** Absent: refunds are not swapped. */
  readonly swapEntry?: Hex;
  /** Absent: nothing is swept. */
  readonly depositAddresses?: Hex;
}

/** Read from events. The emitting address is checked: any contract can emit the same event. */
export function legEffects(ours: Ours, receipt: RpcReceipt, legs: readonly MoneyLeg[]): readonly LegEffect[] {
  return legs.map((leg) => {
    if (leg.kind === 'sweep') return swept(ours, receipt, leg, legs);
    const moved = leg.kind === 'fill' ? filled(ours.router, receipt, leg) : withdrawn(ours, receipt, leg);
    if (moved === undefined) {
      const skipped = leg.kind === 'fill' ? skippedIn(ours.router, receipt, leg, legs.length) : undefined;
      return { legId: leg.legId, done: false, moved: 0n, ...skipped };
    }
    const arrived = leg.kind === 'collect' ? collected(receipt, leg, moved) : undefined;
    const brought = broughtTo(ours, receipt, leg);
    return {
      ...{ legId: leg.legId, done: true, moved },
      ...(arrived === undefined ? {} : { arrived }),
      ...(brought === undefined ? {} : { brought }),
    };
  });
}

function swept(
  { depositAddresses }: Ours,
  receipt: RpcReceipt,
  leg: SweepLeg,
  legs: readonly LegInstruction[],
): LegEffect {
  if (depositAddresses === undefined) throw new Error(`${leg.legId}: this chain has no deposit addresses`);
  return sweepEffect(depositAddresses, receipt, leg, legs);
}

/** The depository logs what left it; only the token logs what the lane received. */
function collected(
  receipt: RpcReceipt,
  { currency, recipient }: Extract<LegInstruction, { kind: 'collect' }>,
  moved: bigint,
): bigint | undefined {
  return currency === NATIVE ? undefined : arrivedOf(receipt, { token: currency, account: recipient, moved });
}

function filled(router: Hex, receipt: RpcReceipt, leg: FillLeg): bigint | undefined {
  for (const log of [
    ...logsFrom(receipt, router, FILLED, leg.orderId),
    ...logsFrom(receipt, router, SHARE_FILLED, leg.orderId),
  ]) {
    const { currency, recipient, moved } = paymentIn(log);
    if (currency === leg.currency && /* guard: evm-fill-recipient */ recipient === leg.recipient && moved >= leg.amount)
      return moved;
  }
  return undefined;
}

/** OrderFilled(indexed orderId, token, to, amount, filler), or ShareFilled(indexed orderId, terms, payment). */
function paymentIn({ topics, data }: RpcLog): Payment {
  if (topics[0] === SHARE_FILLED) {
    const [terms, payment] = wordsOf(data, 2);
    return paymentOf(terms, payment);
  }
  const [token, to, amount] = wordsOf(data, 4);
  return { currency: wordAddress(token), recipient: wordAddress(to), moved: wordUint(amount) };
}

/** The router skipped a fill and returned its value: FillSkipped(indexed orderId, took, reason). */
function skippedIn(
  router: Hex,
  receipt: RpcReceipt,
  leg: FillLeg,
  count: number,
): Pick<LegEffect, 'returned' | 'failure' | 'fee'> | undefined {
  const [log] = logsFrom(receipt, router, SKIPPED, leg.orderId);
  if (log === undefined) return undefined;
  const { took, reason } = skippedOf(log.data);
  const { to, data, value } = fillCall(leg, { router });
  const call = { from: receipt.from.toLowerCase(), to, data, value: value.toString() };
  return { returned: true, failure: { ...whySkipped(took, reason), call }, fee: feeOf(receipt, took, reason, count) };
}

/** Gas in addition to each call, and per byte of a skip event. */
const EXTRA_GAS = 6_000n;
const LOG_GAS = 8n;
const BASE_GAS = 21_000n;

/** A skipped fill's share of the fee: its gas, that of its event, and its part of the common gas. */
function feeOf(receipt: RpcReceipt, took: bigint, reason: Hex, count: number): bigint {
  const used = BigInt(receipt.gasUsed);
  const own = took + EXTRA_GAS + (LOG_GAS * BigInt(reason.length)) / 2n + BASE_GAS / BigInt(count);
  const fee = receiptFee(receipt);
  return own >= used ? fee : (fee * own + used - 1n) / used;
}

function skippedOf(data: Hex): { readonly took: bigint; readonly reason: Hex } {
  const [took, offset, size] = wordsOf(data.slice(0, 2 + 3 * 64), 3);
  const length = Number(wordUint(size));
  if (wordUint(offset) !== 64n || data.length < 2 + 3 * 64 + 2 * length)
    throw new TransportError('an event came back with malformed data', 'malformed');
  return { took: wordUint(took), reason: `0x${data.slice(2 + 3 * 64, 2 + 3 * 64 + 2 * length)}` };
}

export function broughtTo(ours: Ours, receipt: RpcReceipt, leg: FillLeg | RefundLeg | CollectLeg): Brought | undefined {
  return leg.kind === 'fill' ? broughtBy(ours.router, receipt, leg) : exchanged(ours, receipt, leg);
}

/** SwapDelivered(indexed orderId, token, amount), measured by the recipient's balance. */
function broughtBy(router: Hex, receipt: RpcReceipt, { orderId }: FillLeg): Brought | undefined {
  const [log] = logsFrom(receipt, router, SWAPPED, orderId);
  if (log === undefined) return undefined;
  const [token, amount] = wordsOf(log.data, 2);
  return { currency: wordAddress(token), amount: wordUint(amount) };
}

/**
 * Withdrawn(indexed key, token, to, amount): what left the depository. For a swapped refund, `to` forwards the
 * output, and the contract that owns it logs the recipient.
 */
function withdrawn(ours: Ours, receipt: RpcReceipt, leg: RefundLeg | CollectLeg): bigint | undefined {
  const isExchanged = exchanged(ours, receipt, leg) !== undefined;
  for (const log of logsFrom(receipt, ours.depository, WITHDRAWN, leg.useKey)) {
    const [token, to, amount] = wordsOf(log.data, 3);
    if (wordAddress(token) === leg.currency && (isExchanged || wordAddress(to) === leg.recipient))
      return wordUint(amount);
  }
  return undefined;
}

/** RefundSwapped(indexed key, recipient, token, amount), measured by the recipient's balance. */
function exchanged({ swapEntry }: Ours, receipt: RpcReceipt, leg: RefundLeg | CollectLeg): Brought | undefined {
  if (swapEntry === undefined || leg.kind === 'collect') return undefined;
  for (const log of logsFrom(receipt, swapEntry, REFUND_SWAPPED, leg.useKey)) {
    const [recipient, token, amount] = wordsOf(log.data, 3);
    if (wordAddress(recipient) === leg.recipient) return { currency: wordAddress(token), amount: wordUint(amount) };
  }
  return undefined;
}

export function filledOrders({ router }: Pick<Ours, 'router'>, receipt: RpcReceipt): readonly OrderId[] {
  return receipt.logs.flatMap(({ address, topics }) =>
    address.toLowerCase() === router && isFilled(topics[0]) && topics[1] ? [topics[1].toLowerCase() as OrderId] : [],
  );
}

function isFilled(topic: Hex | undefined): boolean {
  return topic === FILLED || topic === SHARE_FILLED;
}

interface Payment {
  readonly currency: string;
  readonly recipient: string;
  readonly moved: bigint;
}

export function eventOf(leg: FillLeg | RefundLeg | CollectLeg): {
  readonly topics: readonly [readonly Hex[], Hex];
  read(log: RpcLog): Payment;
} {
  if (leg.kind === 'fill') return { topics: [[FILLED, SHARE_FILLED], leg.orderId], read: paymentIn };
  return {
    topics: [[WITHDRAWN], leg.useKey],
    read: (log) => {
      const [token, to, amount] = wordsOf(log.data, 3);
      return { currency: wordAddress(token), recipient: wordAddress(to), moved: wordUint(amount) };
    },
  };
}

function logsFrom(receipt: RpcReceipt, contract: Hex, event: Hex, id: Hex): readonly RpcLog[] {
  return receipt.logs.filter(
    ({ address, topics }) =>
      address.toLowerCase() === contract && topics[0] === event && topics[1]?.toLowerCase() === id.toLowerCase(),
  );
}
