import type { EqualityCondition, RequestSearch, SearchCondition } from '../contract/search.js';
import type { RequestRow, TransactionRow } from '../contract/store-rows.js';

export interface Whole {
  readonly request: RequestRow;
  readonly transactions: readonly TransactionRow[];
}

/** Expected search results in order, by the contract's wording and independent of every store. */
export function naiveSearch(all: readonly Whole[], { filter, sortBy, direction, asOf }: RequestSearch) {
  const groups = filter.anyOf === undefined || filter.anyOf.length === 0 ? [[]] : filter.anyOf;
  const matches = all.filter((one) =>
    groups.some((group) => [...filter.all, ...group].every((condition) => isTrue(condition, one))),
  );
  const shown = matches.filter(({ request }) => asOf === undefined || request.createdAt <= asOf);
  const valued = shown.filter(({ request }) => request[sortBy] !== null);
  const others = shown.filter(({ request }) => request[sortBy] === null);
  const sign = direction === 'asc' ? 1 : -1;
  const byId = (a: Whole, b: Whole) => sign * (a.request.id < b.request.id ? -1 : 1);
  const byValue = (a: Whole, b: Whole) => sign * ((a.request[sortBy] ?? 0) - (b.request[sortBy] ?? 0)) || byId(a, b);
  const ordered = [...valued.sort(byValue), ...others.sort(byId)];
  return { ids: ordered.map(({ request }) => request.id), total: matches.length };
}

function isTrue(condition: SearchCondition, { request, transactions }: Whole): boolean {
  if (condition.kind === 'family')
    return (
      condition.ids.some((id) => id === request.id) || condition.parents.some((id) => id === request.parentRequestId)
    );
  if (condition.kind === 'range') return isBetween(request[condition.field], condition.from, condition.to);
  if (condition.kind === 'blocks') {
    const seen = transactions.filter(({ chainId }) => !condition.originOnly || chainId === request.originChainId);
    return seen.some(({ block }) => isBetween(block, condition.from, condition.to));
  }
  const held = valuesOf(condition.field, request, transactions);
  const is = held.some((value) => condition.values.includes(value));
  const isMissing = condition.field === 'user' ? !request.sender && !request.depositor : held.length === 0;
  const answer = is || (condition.orMissing === true && isMissing);
  return condition.not === true ? !answer : answer;
}

function isBetween(value: number | null, from = -Infinity, to = Infinity): boolean {
  return value !== null && from <= value && value <= to;
}

const BITS = [
  'gasless_execution',
  'gasless_swap',
  'fast_fill',
  'gas_top_up',
  'fixed_rate',
  'app_fees',
  'deposit_address',
];

function valuesOf(
  field: EqualityCondition['field'],
  request: RequestRow,
  transactions: readonly TransactionRow[],
): (string | number)[] {
  const hashes = (role: string) => transactions.filter((entry) => entry.role === role).map(({ hash }) => hash);
  const { user, sender, recipient, depositor, depositAddress } = request;
  const found: Readonly<Record<EqualityCondition['field'], readonly (string | number | null)[]>> = {
    id: [request.id],
    orderId: [request.orderId],
    user: [user, sender, depositor],
    recipient: [recipient],
    depositAddress: [depositAddress],
    status: [request.status],
    failReason: [request.failReason],
    refundFailReason: [request.refundFailReason],
    keyId: [request.keyId],
    referrer: [request.referrer],
    requestType: [request.requestType],
    originChainId: [request.originChainId],
    destinationChainId: [request.destinationChainId],
    chainId: [request.originChainId, request.destinationChainId],
    originCurrency: [request.originCurrency],
    destinationCurrency: [request.destinationCurrency],
    originSymbol: [request.originSymbol.toLowerCase()],
    destinationSymbol: [request.destinationSymbol.toLowerCase()],
    feature: BITS.filter((_, bit) => Math.floor(request.features / 2 ** bit) % 2 === 1),
    depositHash: hashes('deposit'),
    fillHash: hashes('fill'),
    refundHash: hashes('refund'),
    term: [
      ...[request.id, request.parentRequestId, request.orderId, user, sender, recipient, depositor, depositAddress],
      ...transactions.map(({ hash }) => hash),
    ],
  };
  return found[field].flatMap((value) => value ?? []);
}
