import type { ChainCodec } from '../contract/chain-adapter.js';
import { parseAmount } from '../domain/money.js';
import { type ApiError, apiError, invalidRequest } from '../errors/api-error.js';
import type { DestinationCall, QuoteAsk } from './ask.js';

const HEX_VALUE = /^0x[0-9a-fA-F]{1,64}$/;
const HEX_DATA = /^0x([0-9a-fA-F]{2})*$/;

/** Value of a call in the smallest unit, decimal or hex after `0x`; undefined for anything else. */
export function callValue(text: string): bigint | undefined {
  if (HEX_VALUE.test(text)) return BigInt(text);
  const parsed = parseAmount(text);
  return parsed.ok ? parsed.amount : undefined;
}

/**
 * What is wrong with the calls themselves, whether or not they could be executed. Where the output is a fixed amount of
 * native coin it is the sum of all values.
 */
export function refuseBadCalls(ask: QuoteAsk, destination: ChainCodec, amount: bigint): ApiError | undefined {
  const calls = ask.txs ?? [];
  let sum = 0n;
  for (const [index, call] of calls.entries()) {
    const value = callValue(call.value);
    if (value === undefined)
      return invalidRequest(`txs[${index}].value`, 'must be a decimal integer string, or hex after 0x');
    sum += value;
    const wrong = refuseCall(call, `txs[${index}]`, destination);
    if (wrong) return wrong;
  }
  if (calls.length === 0 || ask.tradeType === 'EXACT_INPUT') return undefined;
  const native = destination.currency(ask.destinationCurrency)?.isNative === true;
  return native && sum !== amount
    ? apiError('INVALID_EXTRA_TXS', `The values of the calls add up to ${sum}, not to the amount`, {
        field: 'amount',
        reason: 'must be the sum of txs[].value',
      })
    : undefined;
}

function refuseCall(call: DestinationCall, field: string, destination: ChainCodec): ApiError | undefined {
  if (!HEX_DATA.test(call.data)) return invalidRequest(`${field}.data`, 'must be whole bytes of hex after 0x');
  const parsed = destination.parseAddress(call.to);
  return parsed.ok
    ? undefined
    : apiError('INVALID_EXTRA_TXS', `${field}.to is not an address of ${destination.facts.displayName}`, {
        field: `${field}.to`,
        reason: parsed.reason,
      });
}
