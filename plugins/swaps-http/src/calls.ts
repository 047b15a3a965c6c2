import type { DestinationCall, Hex, SwapParties, SwapWish } from '@causeway/core';
import { NATIVE } from './settings.js';

/** A call that an aggregator wrote and that was found harmless, and for whom. */
export interface Built {
  readonly to: string;
  readonly data: Hex;
  /** Native coin, smallest unit. */
  readonly value: bigint;
  /** Approved for the input and for nothing after; undefined for native coin. */
  readonly spender: string | undefined;
  /** What comes out goes to whoever calls. */
  readonly paysPayer: boolean;
  readonly parties: SwapParties;
}

const APPROVE = '095ea7b3';
const TRANSFER = 'a9059cbb';

/**
 * The call, between an approval of exactly the input and the end of it. Where the aggregator pays whoever calls, the least that
 * the recipient is owed is passed on; what is above that is the payer's, whose account of an order passes on all that it has.
 */
export function callsOf(wish: SwapWish, built: Built): readonly DestinationCall[] {
  const { to, data, value, spender, paysPayer, parties } = built;
  const { payer, recipient, limit } = parties;
  const [most, least] = wish.kind === 'exactInput' ? [wish.amount, limit] : [limit, wish.amount];
  const approve = (units: bigint): readonly DestinationCall[] =>
    spender === undefined ? [] : [{ to: wish.input, value: 0n, data: encoded(APPROVE, spender, units) }];
  const passOn: readonly DestinationCall[] =
    paysPayer && recipient !== payer ? [pay(wish.output, recipient, least)] : [];
  return [...approve(most), { to, data, value }, ...approve(0n), ...passOn];
}

function pay(currency: string, recipient: string, units: bigint): DestinationCall {
  if (currency === NATIVE) return { to: recipient, value: units, data: '0x' };
  return { to: currency, value: 0n, data: encoded(TRANSFER, recipient, units) };
}

function encoded(selector: string, address: string, units: bigint): Hex {
  return `0x${selector}${address.slice(2).padStart(64, '0')}${units.toString(16).padStart(64, '0')}`;
}
