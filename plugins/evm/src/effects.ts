import type { Brought, Hex, LegEffect, LegInstruction, OrderId } from '@causeway/core';
import { toEventSelector } from 'viem/utils';
import { depositoryAbi, routerAbi } from './abi.js';
import { NATIVE } from './addresses.js';
import { arrivedOf } from './arrived.js';
import type { RpcLog, RpcReceipt } from './rpc/types.js';
import { wordAddress, wordsOf, wordUint } from './words.js';

const FILLED = toEventSelector(routerAbi[3]);
const SWAPPED = toEventSelector(routerAbi[6]);
const WITHDRAWN = toEventSelector(depositoryAbi[7]);

/** First topics of what our contracts tell of payouts. */
export const PAYOUTS: readonly Hex[] = [FILLED, WITHDRAWN];

interface Ours {
  readonly router: Hex;
  readonly depository: Hex;
}

/** What each leg did, from our contracts' own events: anybody can emit an event, only the contract at its address counts. */
export function legEffects(ours: Ours, receipt: RpcReceipt, legs: readonly LegInstruction[]): readonly LegEffect[] {
  return legs.map((leg) => {
    const moved = leg.kind === 'fill' ? filled(ours.router, receipt, leg) : withdrawn(ours.depository, receipt, leg);
    if (moved === undefined) return { legId: leg.legId, done: false, moved: 0n };
    const arrived = leg.kind === 'collect' ? collected(receipt, leg, moved) : undefined;
    const brought = leg.kind === 'fill' ? broughtBy(ours.router, receipt, leg) : undefined;
    return {
      ...{ legId: leg.legId, done: true, moved },
      ...(arrived === undefined ? {} : { arrived }),
      ...(brought === undefined ? {} : { brought }),
    };
  });
}

/** Our contract tells what left the depository; what came to the lane only the token tells. */
function collected(
  receipt: RpcReceipt,
  { currency, recipient }: Extract<LegInstruction, { kind: 'collect' }>,
  moved: bigint,
): bigint | undefined {
  return currency === NATIVE ? undefined : arrivedOf(receipt, { token: currency, account: recipient, moved });
}

/** OrderFilled(indexed orderId, token, to, amount, filler): ours only if it names order, token, recipient and amount. */
function filled(router: Hex, receipt: RpcReceipt, leg: Extract<LegInstruction, { kind: 'fill' }>): bigint | undefined {
  for (const log of logsFrom(receipt, router, FILLED, leg.orderId)) {
    const [token, to, amount] = wordsOf(log.data, 4);
    const same = wordAddress(token) === leg.currency && wordAddress(to) === leg.recipient;
    if (same && wordUint(amount) >= leg.amount) return wordUint(amount);
  }
  return undefined;
}

/** SwapDelivered(indexed orderId, token, amount): by the recipient's own balance. */
function broughtBy(
  router: Hex,
  receipt: RpcReceipt,
  { orderId }: Extract<LegInstruction, { kind: 'fill' }>,
): Brought | undefined {
  const [log] = logsFrom(receipt, router, SWAPPED, orderId);
  if (log === undefined) return undefined;
  const [token, amount] = wordsOf(log.data, 2);
  return { currency: wordAddress(token), amount: wordUint(amount) };
}

/** Withdrawn(indexed key, token, to, amount): the amount is what left the depository. */
function withdrawn(
  depository: Hex,
  receipt: RpcReceipt,
  leg: Exclude<LegInstruction, { kind: 'fill' }>,
): bigint | undefined {
  for (const log of logsFrom(receipt, depository, WITHDRAWN, leg.useKey)) {
    const [token, to, amount] = wordsOf(log.data, 3);
    if (wordAddress(token) === leg.currency && wordAddress(to) === leg.recipient) return wordUint(amount);
  }
  return undefined;
}

/** Every order that a transaction filled through our router. */
export function filledOrders({ router }: Pick<Ours, 'router'>, receipt: RpcReceipt): readonly OrderId[] {
  return receipt.logs.flatMap(({ address, topics }) =>
    address.toLowerCase() === router && topics[0] === FILLED && topics[1] ? [topics[1].toLowerCase() as OrderId] : [],
  );
}

/** The event that a leg leaves behind, no matter who sent the transaction, and its fields. */
export function eventOf(leg: LegInstruction): {
  readonly topics: readonly [Hex, Hex];
  read(log: RpcLog): { readonly currency: string; readonly recipient: string; readonly moved: bigint };
} {
  const fill = leg.kind === 'fill';
  return {
    topics: fill ? [FILLED, leg.orderId] : [WITHDRAWN, leg.useKey],
    read: (log) => {
      const [token, to, amount] = wordsOf(log.data, fill ? 4 : 3);
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
