import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Hex } from '../contract/ids.js';
import { parseAmount } from '../domain/money.js';
import { serviceAccount } from '../domain/service-account.js';
import { type ApiError, apiError, invalidRequest } from '../errors/api-error.js';
import type { AskedCall, QuoteAsk, QuoteCaller } from './ask.js';
import type { Callee } from './authorizations.js';

const HEX_VALUE = /^0x[0-9a-fA-F]{1,64}$/;
const HEX_DATA = /^0x([0-9a-fA-F]{2})*$/;

const AMOUNT = 'must be a decimal integer string, or hex after 0x';

/** All calls together: quotes are free and stored, so callers without a key get less. */
const MAX_CALL_BYTES = { withKey: 32_768, withoutKey: 4_096 } as const;
/** Bytes per call in an order in addition to its data. */
const BYTES_OF_CALL = 160;

export interface OrderCalls {
  readonly encoded: readonly Hex[];
  /** Total spent of an output in native coin, smallest unit; 0 for a token output. */
  readonly value: bigint;
  /** Total native coin spent in addition to a token output, covered by a top-up; 0 for a native output. */
  readonly coin: bigint;
  /** Maximum work of all together, in the destination's unit; null: as measured. */
  readonly work: bigint | null;
}

export const NO_CALLS: OrderCalls = Object.freeze({ encoded: [], value: 0n, coin: 0n, work: null });

/** Smallest unit, decimal or hex after `0x`; undefined for anything else. */
export function callValue(text: string): bigint | undefined {
  if (HEX_VALUE.test(text)) return BigInt(text);
  const parsed = parseAmount(text);
  return parsed.ok ? parsed.amount : undefined;
}

/**
 * If a client requests an amount of native coin, it must equal the sum of all values; with a token output, values are
 * covered by a gas top-up or must be zero.
 */
export function refuseBadCalls(
  ask: QuoteAsk,
  caller: Pick<QuoteCaller, 'keyId'>,
  destination: ChainAdapter,
  amount: bigint,
): ApiError | undefined {
  const calls = ask.txs ?? [];
  if (calls.length === 0) return undefined;
  let [sum, bytes] = [0n, 0];
  for (const [index, call] of calls.entries()) {
    const value = callValue(call.value);
    if (value === undefined) return invalidRequest(`txs[${index}].value`, AMOUNT);
    sum += value;
    if (call.originalTxValue !== undefined && callValue(call.originalTxValue) === undefined)
      return invalidRequest(`txs[${index}].originalTxValue`, AMOUNT);
    const wrong = refuseCall(call, `txs[${index}]`, destination);
    if (wrong) return wrong;
    bytes += BYTES_OF_CALL + call.data.length / 2 - 1;
  }
  const most = caller.keyId === null ? MAX_CALL_BYTES.withoutKey : MAX_CALL_BYTES.withKey;
  if (bytes > most) return badCalls('txs', `take ${bytes} bytes in the order: at most ${most}`);
  const native = destination.currency(ask.destinationCurrency)?.isNative;
  if (native === false && sum > 0n) return refuseUncovered(ask, destination, sum);
  if (native !== true || ask.tradeType === 'EXACT_INPUT' || sum === amount) return undefined;
  return apiError('INVALID_EXTRA_TXS', `The values of the calls add up to ${sum}, not to the amount`, {
    field: 'amount',
    reason: 'must be the sum of txs[].value',
  });
}

/** Values with a token output and without a top-up. A top-up's amount is checked after pricing. */
function refuseUncovered(ask: QuoteAsk, destination: ChainAdapter, sum: bigint): ApiError | undefined {
  const { carriesTopUp } = destination.capabilities.destinationCalls ?? {};
  if (carriesTopUp !== true) return badCalls('txs', 'must have no value where a token is delivered');
  const uncovered = `spend ${sum} of native coin where a token is delivered: only a gas top-up (topupGas) covers that`;
  return ask.topupGas === true ? undefined : badCalls('txs', uncovered);
}

function refuseCall(call: AskedCall, field: string, destination: ChainAdapter): ApiError | undefined {
  if (!HEX_DATA.test(call.data)) return invalidRequest(`${field}.data`, 'must be whole bytes of hex after 0x');
  const parsed = destination.parseAddress(call.to);
  if (!parsed.ok) {
    return apiError('INVALID_EXTRA_TXS', `${field}.to is not an address of ${destination.facts.displayName}`, {
      field: `${field}.to`,
      reason: parsed.reason,
    });
  }
  const own = serviceAccount(destination, parsed.value);
  return own === undefined ? undefined : badCalls(`${field}.to`, own);
}

/**
 * Calls of an exact input may spend at most the minimum output, because their author did not know the amount.
 *
 * @param minimum output of a fill, smallest unit.
 */
export function refuseBeyondMinimum({ value }: OrderCalls, minimum: bigint): ApiError | undefined {
  return value <= minimum
    ? undefined
    : badCalls('txs', `spend ${value}, more than the ${minimum} that are delivered at least`);
}

export function orderCalls(ask: QuoteAsk, destination: ChainAdapter): OrderCalls {
  const { destinationCalls } = destination.capabilities;
  if (destinationCalls === undefined) throw new Error('calls were not refused on a chain that makes none');
  const calls = (ask.txs ?? []).map(({ to, value, data }) => {
    const parsed = destination.parseAddress(to);
    return { to: parsed.ok ? parsed.value : to, value: callValue(value) ?? 0n, data: data as Hex };
  });
  const sum = calls.reduce((all, { value }) => all + value, 0n);
  const isCoin = destination.currency(ask.destinationCurrency)?.isNative === true;
  return {
    encoded: calls.map((call) => destinationCalls.encode(call)),
    value: isCoin ? sum : 0n,
    coin: isCoin ? 0n : sum,
    work: ask.txsGasLimit ? BigInt(ask.txsGasLimit) : null,
  };
}

export function calleesOf({ txs }: QuoteAsk, destination: ChainAdapter): readonly Callee[] {
  return (txs ?? []).map(({ to }, index) => {
    const parsed = destination.parseAddress(to);
    return { address: parsed.ok ? parsed.value : to, field: `txs[${index}].to` };
  });
}

export function badCalls(field: string, reason: string): ApiError {
  return apiError('INVALID_EXTRA_TXS', `${field} ${reason}`, { field, reason });
}
