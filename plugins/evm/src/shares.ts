import type { FillLeg, Hex, LegInstruction } from '@causeway/core';
import { toFunctionSelector } from 'viem/utils';
import { routerAbi } from './abi.js';
import { isNative } from './addresses.js';
import type { OurCall } from './calls.js';
import { idWord, uintWord, wordAddress, wordUint } from './words.js';

export interface Share {
  readonly leg: FillLeg;
  readonly gas: bigint;
}

const FILL_MANY = toFunctionSelector(routerAbi[7]);
const MAX_AMOUNT = 2n ** 96n;
const MAX_DEADLINE = 2 ** 40;
const AS_BEFORE = 1n;

export function mayShare(leg: LegInstruction): leg is FillLeg {
  if (leg.kind !== 'fill' || leg.calls !== undefined || leg.wanted !== undefined || leg.topUp !== undefined)
    return false;
  return leg.amount < MAX_AMOUNT && leg.deadline < MAX_DEADLINE;
}

/** Groups shares by currency, so that each token is named once. */
export function inOrder(shares: readonly Share[]): readonly Share[] {
  return [...shares].sort(({ leg: a }, { leg: b }) => (a.currency < b.currency ? -1 : Number(a.currency > b.currency)));
}

export function fillMany(router: Hex, shares: readonly Share[]): OurCall {
  const sorted = inOrder(shares);
  const words = sorted.map(({ leg, gas }, n) => {
    const { currency, recipient, amount, deadline, orderId } = leg;
    const again = !isNative(currency) && sorted[n - 1]?.leg.currency === currency;
    const token = again ? AS_BEFORE : BigInt(currency);
    const terms = (token << 96n) | (gas << 40n) | BigInt(deadline);
    return `${uintWord(terms)}${uintWord((BigInt(recipient) << 96n) | amount)}${idWord(orderId)}`;
  });
  const value = shares.reduce((sum, { leg }) => (isNative(leg.currency) ? sum + leg.amount : sum), 0n);
  return { to: router, data: `${FILL_MANY}${uintWord(32)}${uintWord(shares.length)}${words.join('')}`, value };
}

export function paymentOf(terms: string | undefined, payment: string | undefined) {
  return { currency: highAddress(terms), recipient: highAddress(payment), moved: wordUint(payment) % MAX_AMOUNT };
}

function highAddress(word: string | undefined): Hex {
  return wordAddress(word?.slice(0, 40));
}
