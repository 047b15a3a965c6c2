import type { Hex } from '@causeway/core';
import { Address, beginCell, Cell, contractAddress, type Slice, type StateInit } from '@ton/core';
import { CODE } from './code.js';

/** Parameters of every deposit address; raw addresses. */
export interface Sweeping {
  readonly depository: string;
  readonly sweeper: string;
}

const [SWEEP_COINS, SWEEP_JETTONS, SWEPT] = [0x73777063, 0x7377706a, 0x73777074];
const code = Cell.fromBase64(CODE);

export function initOf({ depository, sweeper }: Sweeping, salt: Hex): StateInit {
  const data = beginCell().storeAddress(Address.parse(depository)).storeAddress(Address.parse(sweeper));
  return { code, data: data.storeBuffer(bytesOf(salt)).endCell() };
}

/** Raw. Local work only. */
export function addressFor(sweeping: Sweeping, salt: Hex): string {
  return contractAddress(0, initOf(sweeping, salt)).toRawString();
}

/** An order of the sweeper to a deposit address. */
export interface Sweep {
  readonly useKey: Hex;
  readonly amount: bigint;
  /** Raw jetton wallet of the deposit address; undefined: coins. */
  readonly wallet: string | undefined;
}

export function sweepBody({ useKey, amount, wallet }: Sweep): Cell {
  const body = beginCell()
    .storeUint(wallet === undefined ? SWEEP_COINS : SWEEP_JETTONS, 32)
    .storeBuffer(bytesOf(useKey))
    .storeCoins(amount);
  return (wallet === undefined ? body : body.storeAddress(Address.parse(wallet))).endCell();
}

/** Undefined for any other message. Never throws. */
export function readSweep(body: Cell): Sweep | undefined {
  return reading(body, (slice) => {
    const op = slice.loadUint(32);
    if (op !== SWEEP_COINS && op !== SWEEP_JETTONS) return undefined;
    const useKey = hexOf(slice);
    const amount = slice.loadCoins();
    return { useKey, amount, wallet: op === SWEEP_COINS ? undefined : slice.loadAddress().toRawString() };
  });
}

/** The use key that a deposit address sends with a sweep. Never throws. */
export function readSwept(body: Cell | undefined): { readonly useKey: Hex; readonly salt: Hex } | undefined {
  return (
    body &&
    reading(body, (slice) => (slice.loadUint(32) === SWEPT ? { useKey: hexOf(slice), salt: hexOf(slice) } : undefined))
  );
}

/**
 * Whether money comes from a deposit address of the service. A third party can copy the message, but its account is not
 * the one that is derived from the message's salt.
 *
 * @param from raw.
 */
export function isSwept(sweeping: Sweeping | undefined, from: string, body: Cell | undefined): boolean {
  const swept = sweeping && readSwept(body);
  return swept !== undefined && /* guard: ton-swept-by-address */ addressFor(sweeping!, swept.salt) === from;
}

/** In the `queryId` of a sweep's jetton transfer, which a bounced message repeats. */
export function queryIdOf(useKey: Hex): bigint {
  return BigInt(useKey) >> 192n;
}

function reading<T>(body: Cell, read: (slice: Slice) => T): T | undefined {
  try {
    return body.isExotic ? undefined : read(body.beginParse());
  } catch {
    return undefined;
  }
}

function hexOf(slice: Slice): Hex {
  return `0x${slice.loadBuffer(32).toString('hex')}`;
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}
