import type { Hex, LegEffect, LegInstruction, SweepLeg } from '@causeway/core';
import { toEventSelector } from 'viem/utils';
import { depositAddressesAbi } from '../abi.js';
import { type RpcLog, type RpcReceipt, receiptFee } from '../rpc/types.js';
import { whySkipped } from '../skipped.js';
import { addressWord, wordAddress, wordsOf, wordUint } from '../words.js';
import { readRangeKey } from './funding-key.js';
import { sweepCall } from './sweep-call.js';

export const SWEPT: Hex = toEventSelector(depositAddressesAbi[7]);
export const SWEEP_FAILED: Hex = toEventSelector(depositAddressesAbi[8]);

/** Swept(indexed forwarder, indexed depository, token, amount, received, total) */
export interface Swept {
  readonly currency: string;
  /** Smallest unit that left the address. */
  readonly amount: bigint;
  /** Part of `amount` that the depository received. */
  readonly received: bigint;
  /** Sum that ever left the address, including `amount`. */
  readonly total: bigint;
}

export function isSweptLog(factory: Hex | undefined, { address, topics: [event] }: RpcLog): boolean {
  return factory !== undefined && event === SWEPT && address.toLowerCase() === factory;
}

export function sweptOf({ data }: RpcLog): Swept {
  const [token, amount, received, total] = wordsOf(data, 4);
  return {
    currency: wordAddress(token),
    amount: wordUint(amount),
    received: wordUint(received),
    total: wordUint(total),
  };
}

/**
 * End of the leg's transfer within the cumulative sum of its address. The transfer is swept once this much has left.
 */
export function endOf({ legId, fundingKey, from, currency }: SweepLeg): bigint {
  const range = readRangeKey(fundingKey);
  if (range === undefined || range.address !== from.address || range.currency !== currency)
    throw new Error(`${legId} sweeps no transfer to ${from.address}`);
  return range.to;
}

/** Read from events. An address that was empty already has no event: another transaction swept it. */
export function sweepEffect(
  factory: Hex,
  receipt: RpcReceipt,
  leg: SweepLeg,
  legs: readonly LegInstruction[],
): LegEffect {
  const { legId, amount } = leg;
  for (const log of logsOf(factory, receipt, SWEPT, leg)) {
    const swept = sweptOf(log);
    // guard: evm-swept-currency
    if (swept.currency !== leg.currency) continue;
    const arrived = arrivedBy(swept, leg);
    return { legId, done: true, moved: amount, ...(arrived < amount ? { arrived } : {}) };
  }
  const failed = failureOf(factory, receipt, leg);
  return {
    legId,
    done: false,
    moved: 0n,
    ...(failed && { returned: true, ...failed, fee: feeOf(receipt, legs.length) }),
  };
}

/**
 * Part of the transfer that the depository received: less than all if the token charges a fee on transfer, or took from
 * the address's balance before.
 */
function arrivedBy({ amount, received, total }: Swept, leg: SweepLeg): bigint {
  const end = endOf(leg);
  const missing = max(end - total, 0n);
  // The part that an earlier sweep moved is not in this event.
  const here = max(min(end, total) - max(end - leg.amount, total - amount), 0n);
  const lost = missing + ((amount - received) * here + amount - 1n) / amount;
  return lost < leg.amount ? leg.amount - lost : 0n;
}

function failureOf(factory: Hex, receipt: RpcReceipt, leg: SweepLeg): Pick<LegEffect, 'failure'> | undefined {
  for (const { data } of logsOf(factory, receipt, SWEEP_FAILED, leg)) {
    const [token, took, , size] = wordsOf(data.slice(0, 2 + 4 * 64), 4);
    if (wordAddress(token) !== leg.currency) continue;
    const from = 2 + 4 * 64;
    const reason: Hex = `0x${data.slice(from, from + 2 * Number(wordUint(size)))}`;
    const { to, data: call, value } = sweepCall(leg, factory);
    return {
      failure: {
        ...whySkipped(wordUint(took), reason),
        call: { from: receipt.from.toLowerCase(), to, data: call, value: value.toString() },
      },
    };
  }
  return undefined;
}

function feeOf(receipt: RpcReceipt, count: number): bigint {
  return (receiptFee(receipt) + BigInt(count) - 1n) / BigInt(count);
}

function logsOf(factory: Hex, { logs }: RpcReceipt, event: Hex, { from }: SweepLeg): readonly RpcLog[] {
  const own = `0x${addressWord(from.address)}`;
  return logs.filter(
    ({ address, topics }) =>
      address.toLowerCase() === factory && topics[0] === event && topics[1]?.toLowerCase() === own,
  );
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
