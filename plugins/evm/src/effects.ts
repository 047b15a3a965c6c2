import type { Hex, LegEffect, LegInstruction } from '@causeway/core';
import { decodeEventLog, encodeEventTopics } from 'viem';
import { depositoryAbi, routerAbi } from './abi.js';
import type { RpcLog, RpcReceipt } from './rpc/types.js';

const FILLED = encodeEventTopics({ abi: routerAbi, eventName: 'OrderFilled' })[0];
const WITHDRAWN = encodeEventTopics({ abi: depositoryAbi, eventName: 'Withdrawn' })[0];

interface Ours {
  readonly router: Hex;
  readonly depository: Hex;
}

/** What each leg did, from our contracts' own events: anybody can emit an event, only the contract at its address counts. */
export function legEffects(ours: Ours, receipt: RpcReceipt, legs: readonly LegInstruction[]): readonly LegEffect[] {
  return legs.map((leg) => {
    const moved = leg.kind === 'fill' ? filled(ours.router, receipt, leg) : withdrawn(ours.depository, receipt, leg);
    return { legId: leg.legId, done: moved !== undefined, moved: moved ?? 0n };
  });
}

function filled(router: Hex, receipt: RpcReceipt, leg: Extract<LegInstruction, { kind: 'fill' }>): bigint | undefined {
  for (const log of logsFrom(receipt, router, FILLED)) {
    const { args } = decodeEventLog({ abi: routerAbi, eventName: 'OrderFilled', ...content(log) });
    const same =
      args.orderId.toLowerCase() === leg.orderId.toLowerCase() &&
      args.token.toLowerCase() === leg.currency &&
      args.to.toLowerCase() === leg.recipient &&
      args.amount >= leg.amount;
    if (same) return args.amount;
  }
  return undefined;
}

function withdrawn(
  depository: Hex,
  receipt: RpcReceipt,
  leg: Exclude<LegInstruction, { kind: 'fill' }>,
): bigint | undefined {
  for (const log of logsFrom(receipt, depository, WITHDRAWN)) {
    const { args } = decodeEventLog({ abi: depositoryAbi, eventName: 'Withdrawn', ...content(log) });
    const same =
      args.key.toLowerCase() === leg.useKey.toLowerCase() &&
      args.token.toLowerCase() === leg.currency &&
      args.to.toLowerCase() === leg.recipient;
    if (same) return args.amount;
  }
  return undefined;
}

function logsFrom(receipt: RpcReceipt, contract: Hex, topic: Hex | undefined): readonly RpcLog[] {
  return receipt.logs.filter(({ address, topics }) => address.toLowerCase() === contract && topics[0] === topic);
}

function content(log: RpcLog): { data: Hex; topics: [Hex, ...Hex[]] } {
  return { data: log.data, topics: log.topics as [Hex, ...Hex[]] };
}
