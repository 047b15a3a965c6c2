import { addressId } from '../../capabilities/deposit-addresses/match.js';
import { unwrittenRequest } from '../../capabilities/deposit-addresses/unwritten.js';
import type { RequestId } from '../../contract/ids.js';
import type { EqualityCondition, RequestFilter, SearchCondition } from '../../contract/search.js';
import type { Store } from '../../contract/store.js';
import type { QuoteRow, RequestRow } from '../../contract/store-rows.js';
import type { QuoteBody } from '../../domain/quote.js';
import { holds } from '../../store/search/matches.js';
import type { ApiDeps } from '../api.js';

type Deps = Pick<ApiDeps, 'chains'> & {
  readonly store: Pick<Store, 'quote' | 'quotesByOrder' | 'addresses' | 'requests'>;
};

/** Maximum names that one search looks up. */
const MAX_NAMED = 50;

/**
 * Requests of deposit addresses that nothing was paid to, where the filter names them: by id, order id, deposit address or
 * term. They have no row to search (`unwrittenRequest`), so no other filter finds them before their first transfer.
 */
export async function unpaidAddresses(filter: RequestFilter, deps: Deps): Promise<readonly RequestRow[]> {
  const sets = filter.anyOf?.map((group) => [...filter.all, ...group]) ?? [filter.all];
  const found = await quotesNamed(sets.flatMap((set) => set.flatMap(namesOf)).slice(0, MAX_NAMED), deps);
  const rows = [...found.values()].flatMap(
    (quote) => unwrittenRequest(quote, JSON.parse(quote.body) as QuoteBody) ?? [],
  );
  const written = new Set((await deps.store.requests(rows.map(({ id }) => id))).map(({ id }) => id));
  return rows.filter(
    (row) =>
      !written.has(row.id) &&
      isShown(row, filter, deps) &&
      sets.some((set) => set.every((condition) => holds(condition, row, () => []))),
  );
}

interface Named {
  readonly field: 'id' | 'orderId' | 'depositAddress' | 'term';
  readonly value: string;
}

function namesOf(condition: SearchCondition): readonly Named[] {
  if (condition.kind === 'family') return condition.ids.map((value) => ({ field: 'id', value }));
  if (condition.kind !== 'is' || condition.not === true || !isNaming(condition)) return [];
  const { field, values } = condition;
  return values.map((value) => ({ field, value: String(value) }));
}

function isNaming(condition: EqualityCondition): condition is EqualityCondition & Pick<Named, 'field'> {
  return ['id', 'orderId', 'depositAddress', 'term'].includes(condition.field);
}

async function quotesNamed(names: readonly Named[], { store, chains }: Deps): Promise<ReadonlyMap<string, QuoteRow>> {
  const found = new Map<string, QuoteRow>();
  const keep = (quotes: readonly (QuoteRow | undefined)[]) => {
    for (const quote of quotes) if (quote !== undefined) found.set(quote.id, quote);
  };
  const byId = (ids: readonly string[]) => Promise.all([...new Set(ids)].map((id) => store.quote(id as RequestId)));
  const of = (...fields: readonly Named['field'][]) =>
    names.flatMap((one) => (fields.includes(one.field) ? one.value : []));
  keep(await byId(of('id', 'term')));
  const orders = of('orderId', 'term');
  if (orders.length > 0) keep(await store.quotesByOrder(orders as QuoteRow['orderId'][]));
  const places = of('depositAddress', 'term').flatMap((one) =>
    [...chains.keys()].map((chain) => addressId(chain, one)),
  );
  if (places.length > 0) keep(await byId((await store.addresses(places)).map(({ salt }) => salt)));
  return found;
}

function isShown({ originChainId, destinationChainId }: RequestRow, { hiddenChains }: RequestFilter, { chains }: Deps) {
  return [originChainId, destinationChainId].every(
    (id) => chains.get(id)?.facts.private === undefined || hiddenChains.includes(id),
  );
}
