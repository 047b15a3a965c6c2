import { type DestinationCall, MAX_UINT256, type SwapAnswer } from '@causeway/core';
import { encodeFunctionData } from 'viem/utils';
import { asHex, NATIVE } from '../addresses.js';
import { wrappedNativeAbi as abi, tokenAbi } from './abi.js';
import type { Venue } from './venue.js';

const WORK = 45_000n;

export function wrapping(wrapped: string, height: () => number): Venue {
  const isPair = (input: string, output: string) =>
    (input === NATIVE && output === wrapped) || (input === wrapped && output === NATIVE);
  return {
    quote: ({ input, output, amount }): SwapAnswer => {
      if (!isPair(input, output))
        return { ok: false, why: 'noRoute', message: 'it wraps native coin and nothing else' };
      if (amount <= 0n || amount > MAX_UINT256)
        return { ok: false, why: 'tooMuch', message: 'there is no such amount of native coin' };
      const route = [input, output];
      return {
        ok: true,
        quotes: [{ amountIn: amount, amountOut: amount, route, work: WORK, height: height(), plan: null }],
      };
    },
    calls: ({ input, amount }, _quote, { payer, recipient }): readonly DestinationCall[] => {
      if (input === NATIVE) {
        const wrap = { to: wrapped, value: amount, data: encodeFunctionData({ abi, functionName: 'deposit' }) };
        return recipient === payer ? [wrap] : [wrap, transfer(wrapped, recipient, amount)];
      }
      const unwrap = {
        to: wrapped,
        value: 0n,
        data: encodeFunctionData({ abi, functionName: 'withdraw', args: [amount] }),
      };
      return recipient === payer ? [unwrap] : [unwrap, { to: recipient, value: amount, data: '0x' }];
    },
  };
}

function transfer(token: string, to: string, amount: bigint): DestinationCall {
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [asHex(to), amount] });
  return { to: token, value: 0n, data };
}
