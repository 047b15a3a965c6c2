import type {
  CallLeg,
  CollectLeg,
  FillLeg,
  Hex,
  LegInstruction,
  RefundExchange,
  RefundLeg,
  Secp256k1Signer,
} from '@causeway/core';
import { bytesToHex, hexToBytes, toFunctionSelector } from 'viem/utils';
import { depositoryAbi, routerAbi } from './abi.js';
import { asHex, isNative } from './addresses.js';
import { sweepCall } from './deposit-addresses/sweep-call.js';
import { callsData } from './destination-calls.js';
import { refundAccount, refundData } from './payer-swaps/refund.js';
import { withdrawalDigest } from './withdrawal-digest.js';
import { addressWord, idWord, uintWord } from './words.js';

/** All but calls for others. */
export type MoneyLeg = Exclude<LegInstruction, CallLeg>;

export interface OurCall {
  readonly to: Hex;
  readonly data: Hex;
  readonly value: bigint;
}

export interface Contracts {
  readonly depository: Hex;
  readonly router: Hex;
  readonly domain: Hex;
  /** Absent: refunds are not swapped. */
  readonly swapEntry?: Hex;
  /** Absent: nothing is swept. */
  readonly depositAddresses?: Hex;
  /** Absent: no deposits by permit. */
  readonly permitEntry?: Hex;
  /** Signer of the lane that sweeps, lower case; absent: none. */
  readonly sweeper?: string;
}

/** @param sweeper signer of the lane that sweeps, lower case; undefined: none. */
export function contractsOf(config: Omit<Contracts, 'domain'>, domain: Hex, sweeper: string | undefined): Contracts {
  const { depository, router, swapEntry, depositAddresses, permitEntry } = config;
  return {
    ...{ depository, router, domain },
    ...(swapEntry === undefined ? {} : { swapEntry }),
    ...(depositAddresses === undefined ? {} : { depositAddresses }),
    ...(permitEntry === undefined ? {} : { permitEntry }),
    ...(sweeper === undefined ? {} : { sweeper }),
  };
}

const FILL = toFunctionSelector(routerAbi[0]);
const WITHDRAW = toFunctionSelector(depositoryAbi[2]);

export function callOf(leg: MoneyLeg, contracts: Contracts, submitter: string, allocator: Secp256k1Signer): OurCall {
  if (leg.kind === 'sweep') {
    if (contracts.depositAddresses === undefined) throw new Error(`${leg.legId}: this chain has no deposit addresses`);
    return sweepCall(leg, contracts.depositAddresses);
  }
  return leg.kind === 'fill' ? fillCall(leg, contracts) : withdrawCall(leg, contracts, submitter, allocator);
}

/** The order id is the last word, where indexers of the protocol look for it. */
export function fillCall(leg: FillLeg, { router }: Pick<Contracts, 'router'>): OurCall {
  const { currency, recipient, amount, deadline, orderId, calls, topUp } = leg;
  const value = (isNative(currency) ? amount : 0n) + (topUp?.amount ?? 0n);
  if (calls !== undefined) return { to: router, data: callsData(leg, calls), value };
  const words = [addressWord(currency), addressWord(recipient), uintWord(amount), uintWord(deadline), idWord(orderId)];
  return { to: router, data: `${FILL}${words.join('')}`, value };
}

function withdrawCall(
  leg: RefundLeg | CollectLeg,
  contracts: Contracts,
  submitter: string,
  allocator: Secp256k1Signer,
): OurCall {
  const { currency: token, recipient: to, amount, useKey: key } = leg;
  const expiration = BigInt(leg.expiration);
  if (leg.kind !== 'collect' && leg.exchange !== undefined)
    return exchangedCall(leg, leg.exchange, contracts, submitter, allocator);
  const signature = signed({ token, to, amount, key, expiration, submitter }, contracts, allocator).slice(2);
  const head = [addressWord(token), addressWord(to), uintWord(amount), idWord(key), uintWord(expiration)];
  const words = [...head, uintWord(6 * 32), uintWord(65), signature.padEnd(3 * 64, '0')];
  return { to: contracts.depository, data: `${WITHDRAW}${words.join('')}`, value: 0n };
}

function exchangedCall(
  { legId, currency: token, recipient, amount, useKey, expiration: until }: RefundLeg,
  exchange: RefundExchange,
  contracts: Contracts,
  signer: string,
  allocator: Secp256k1Signer,
): OurCall {
  const { swapEntry } = contracts;
  if (swapEntry === undefined) throw new Error(`${legId} cannot be exchanged on this chain`);
  const expiration = BigInt(until);
  const to = refundAccount(swapEntry, { signer, useKey, recipient, output: exchange.output });
  const signature = signed({ token, to, amount, key: useKey, expiration, submitter: swapEntry }, contracts, allocator);
  const withdrawal = { token: asHex(token), amount, key: useKey, expiration };
  return { to: swapEntry, data: refundData(withdrawal, recipient, exchange, signature), value: 0n };
}

function signed(
  withdrawal: Parameters<typeof withdrawalDigest>[1],
  { domain }: Contracts,
  allocator: Secp256k1Signer,
): Hex {
  const { r, s, recovery } = allocator.sign(hexToBytes(withdrawalDigest(domain, withdrawal)));
  return bytesToHex(Uint8Array.from([...r, ...s, 27 + recovery]));
}
