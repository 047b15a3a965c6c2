import { type EqualityCondition, foldCase, type SearchField } from '../../contract/search.js';
import { REQUEST_FEATURES } from '../../domain/features.js';
import { REQUEST_TYPES } from '../../domain/request-type.js';
import type { RequestStatus } from '../../domain/transitions.js';
import { type ApiError, invalidRequest } from '../../errors/api-error.js';
import { parseFailReason, parseRefundFailReason } from '../../errors/parse-reasons.js';
import { isPlain, NOT_PLAIN_REASON } from '../plain-text.js';
import { LISTED_STATUSES } from './query.js';
import { addressSpellings, type Chains, currencySpellings, idSpellings } from './spellings.js';

type Reading =
  | { readonly values: readonly (string | number)[]; readonly missing?: boolean }
  | { readonly wrong: string };

interface Field {
  readonly field: SearchField;
  readonly read: (value: unknown, chains: Chains) => Reading;
  readonly always?: boolean;
}

/** A `fallback` is listed, and found, as `refund`: the list has no name for it. */
const STATUSES: Readonly<Record<(typeof LISTED_STATUSES)[number], readonly RequestStatus[]>> = {
  success: ['success'],
  failure: ['failure'],
  refund: ['refund', 'fallback'],
  pending: ['pending'],
  depositing: ['depositing'],
};

const MAX_VALUE_LENGTH = 256;

function text(read: (text: string, chains: Chains) => Reading): Field['read'] {
  return (value, chains) => {
    if (typeof value !== 'string') return { wrong: 'must be a string' };
    if (value === '') return { wrong: 'must not be empty' };
    if (!isPlain(value)) return { wrong: NOT_PLAIN_REASON };
    return value.length <= MAX_VALUE_LENGTH
      ? read(value, chains)
      : { wrong: `must have at most ${MAX_VALUE_LENGTH} characters` };
  };
}

const exact = text((value) => ({ values: [value] }));
const id = text((value) => ({ values: idSpellings(value) }));
const address = text((value, chains) => ({ values: addressSpellings(value, chains) }));
const currency = text((value, chains) => ({ values: currencySpellings(value, chains) }));
const symbol = text((value) => ({ values: [foldCase(value)] }));
const anything = text((value, chains) => ({
  values: [...new Set([...idSpellings(value), ...addressSpellings(value, chains)])],
}));

const chain: Field['read'] = (value) => {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  const fits = typeof number === 'number' && Number.isSafeInteger(number) && number >= 0;
  return fits ? { values: [number] } : { wrong: 'must be a chain id' };
};

const listed = (names: readonly string[], folded = false) =>
  text((value) => {
    const found = names.find((name) => name === value || (folded && foldCase(name) === foldCase(value)));
    return found === undefined ? { wrong: `must be one of ${names.join(', ')}` } : { values: [found] };
  });

const status: Field['read'] = (value, chains) => {
  const one = listed(LISTED_STATUSES)(value, chains);
  return 'wrong' in one ? one : { values: STATUSES[one.values[0] as keyof typeof STATUSES] };
};

const reason = (parse: (text: string) => string | undefined) =>
  text((value) => {
    if (value === 'N/A') return { values: [value], missing: true };
    const found = parse(value);
    return found === undefined ? { wrong: 'is not a reason of this interface' } : { values: [found] };
  });

export const FIELDS = {
  id: { field: 'id', read: id },
  orderId: { field: 'orderId', read: id },
  user: { field: 'user', read: address },
  recipient: { field: 'recipient', read: address },
  depositAddress: { field: 'depositAddress', read: address },
  term: { field: 'term', read: anything, always: true },
  depositTxHash: { field: 'depositHash', read: id },
  fillTxHash: { field: 'fillHash', read: id },
  refundTxHash: { field: 'refundHash', read: id },
  originChainId: { field: 'originChainId', read: chain },
  destinationChainId: { field: 'destinationChainId', read: chain },
  chainId: { field: 'chainId', read: chain },
  status: { field: 'status', read: status },
  failReason: { field: 'failReason', read: reason(parseFailReason) },
  refundFailReason: { field: 'refundFailReason', read: reason(parseRefundFailReason) },
  apiKey: { field: 'keyId', read: exact },
  referrer: { field: 'referrer', read: exact },
  requestType: { field: 'requestType', read: listed(REQUEST_TYPES, true) },
  currencyInChainId: { field: 'originChainId', read: chain },
  currencyOutChainId: { field: 'destinationChainId', read: chain },
  currencyInAddress: { field: 'originCurrency', read: currency },
  currencyOutAddress: { field: 'destinationCurrency', read: currency },
  currencyInSymbol: { field: 'originSymbol', read: symbol },
  currencyOutSymbol: { field: 'destinationSymbol', read: symbol },
  features: { field: 'feature', read: listed(REQUEST_FEATURES) },
} as const satisfies Readonly<Record<string, Field>>;

export type FieldName = keyof typeof FIELDS;

export function isField(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name);
}

/**
 * The field is one of the values, or missing when the value is null.
 *
 * @param name as the client wrote it, for errors.
 */
export function conditionOf(
  key: FieldName,
  given: readonly unknown[] | null,
  chains: Chains,
  { name, not }: { readonly name: string; readonly not: boolean },
): EqualityCondition | ApiError {
  const { field, read, always } = FIELDS[key] as Field;
  const turned = not ? { not } : {};
  if (given === null) {
    if (always) return invalidRequest(name, 'cannot be missing');
    return { kind: 'is', field, values: [], orMissing: true, ...turned };
  }
  const values = new Set<string | number>();
  let orMissing = false;
  for (const value of given) {
    const reading = read(value, chains);
    if ('wrong' in reading) return invalidRequest(name, reading.wrong);
    for (const one of reading.values) values.add(one);
    orMissing ||= reading.missing ?? false;
  }
  return { kind: 'is', field, values: [...values], ...(orMissing ? { orMissing } : {}), ...turned };
}
