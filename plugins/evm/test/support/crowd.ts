import { type Address, encodeFunctionData, type Hex, numberToHex } from 'viem';
import { depositoryAbi } from '../../src/abi.js';

/** Limit of contract creations (EIP-3860). */
export const MAX_INIT_CODE = 49_152;
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export interface Crowd {
  readonly depository: Address;
  readonly depositor: Address;
  /** wei, per deposit. */
  readonly amount: bigint;
  readonly deposits: number;
  readonly events: number;
}

function push(value: bigint | number, bytes: number): string {
  return `${(0x60 + bytes - 1).toString(16)}${value.toString(16).padStart(bytes * 2, '0')}`;
}

/** Init code for all of it, one order per deposit, padded to the maximum calldata. */
export function crowd({ depository, depositor, amount, deposits, events }: Crowd): Hex {
  const args = [depositor, numberToHex(0, { size: 32 })] as const;
  const call = encodeFunctionData({ abi: depositoryAbi, functionName: 'depositNative', args }).slice(2);
  // Counts down on the stack; the counter is part of order ids and topics.
  const loop = (times: number, at: number, body: string) =>
    `${push(times, 2)}5b${body}6001900380${push(at + 3, 2)}5750`;
  const nothing = push(0, 1);
  const sends = `${nothing}${nothing}${push(68, 1)}${nothing}${push(amount, 32)}${push(BigInt(depository), 20)}5af1`;
  const deposit = `80${push(1n << 200n, 32)}01602452${sends}15600057`;
  const event = `80${push(1n << 150n, 20)}0181${push(1n << 152n, 20)}017f${TRANSFER}60206024a3`;
  const assemble = (dataAt: number) => {
    const start = `${push(68, 1)}${push(dataAt, 2)}${nothing}39`;
    const first = start + loop(deposits, start.length / 2, deposit);
    return `${first}${loop(events, first.length / 2, event)}00`;
  };
  const code = `${assemble(assemble(0).length / 2)}${call}`;
  return `0x${code}${'5b'.repeat(MAX_INIT_CODE - code.length / 2)}`;
}
