import type { DestinationCall, Hex, SwapParties, SwapWish } from '@causeway/core';
import { NATIVE } from './settings.js';

export interface Built {
  readonly to: string;
  readonly data: Hex;
  /** Native coin, smallest unit. */
  readonly value: bigint;
  /** Approved for the input and reset afterwards; undefined for native coin. */
  readonly spender: string | undefined;
  /** The output goes to the caller. */
  readonly paysPayer: boolean;
  readonly parties: SwapParties;
}

const APPROVE = '095ea7b3';
const TRANSFER = 'a9059cbb';

/**
 * The call, between an approval of exactly the input and its revocation. If the aggregator pays the caller, the
 * minimum owed to the recipient is passed on; the surplus is the payer's, whose per-order account passes on all that
 * it has.
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
