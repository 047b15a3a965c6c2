import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DeliveryRow } from '../../contract/delivery-rows.js';
import type { ChainId, RequestId } from '../../contract/ids.js';
import type { FeedRow, OpenKey, ShownRequest, Store } from '../../contract/store.js';
import type { DepositRow, HoldRow, LegRow, QuoteRow, RequestRow } from '../../contract/store-rows.js';

/** How much of a request a reader may see: `owner` is the integrator that asked for the quote. */
export type Reader = 'anyone' | 'owner' | 'operator';

/** Everything of one request that the store knows. */
export interface TimelineFacts {
  /** An unpaid quote has no request. */
  readonly subject: RequestRow | QuoteRow;
  readonly status: RequestRow['status'];
  /** Transfers for an unpaid quote that could not fund it, the oldest first; empty for a request. */
  readonly children: readonly StoredFacts[];
  readonly deposits: readonly DepositRow[];
  readonly legs: readonly LegRow[];
  readonly keys: readonly OpenKey[];
  readonly holds: readonly HoldRow[];
  readonly events: readonly FeedRow[];
  /** Empty for readers who may not see them. */
  readonly deliveries: readonly DeliveryRow[];
  readonly chains: ReadonlyMap<ChainId, ChainAdapter>;
  /** Height of the newest block; null: unknown. */
  readonly headOf: (chainId: ChainId) => number | null;
}

type Reads = Pick<
  Store,
  | 'quote'
  | 'shown'
  | 'statuses'
  | 'search'
  | 'keysOfLegs'
  | 'holdsOfTransaction'
  | 'eventsOf'
  | 'endpoints'
  | 'deliveries'
  | 'apiKey'
>;

/** The newest: anyone can name a quote. */
const MAX_CHILDREN = 20;
const MAX_HOLDS = 50;
const MAX_DELIVERIES = 500;

export type StoredFacts = Omit<TimelineFacts, 'chains' | 'headOf'>;

/** Undefined: neither a request nor a quote has the id. */
export async function readFacts(store: Reads, id: RequestId, reader: Reader): Promise<StoredFacts | undefined> {
  const view = await store.shown(id);
  if (view === undefined) {
    const quote = await store.quote(id);
    return quote && factsOfQuote(store, quote, reader);
  }
  return factsOfRequest(store, view, reader);
}

/** With the status of the status endpoint. */
async function factsOfQuote(store: Reads, quote: QuoteRow, reader: Reader): Promise<StoredFacts> {
  const { rows } = await store.search({
    // A child is on the chains of its quote, which the reader may see.
    filter: {
      all: [{ kind: 'family', ids: [quote.id], parents: [quote.id] }],
      hiddenChains: [quote.originChainId, quote.destinationChainId],
    },
    ...{ sortBy: 'createdAt', direction: 'desc', limit: MAX_CHILDREN, total: false },
  });
  const [[status], ...children] = await Promise.all([
    store.statuses([quote.id]),
    ...rows.map((row) => factsOfRequest(store, row, reader)),
  ]);
  const nothing = { deposits: [], legs: [], keys: [], holds: [], events: [], deliveries: [] };
  return { subject: quote, status: status?.status ?? 'waiting', children: children.reverse(), ...nothing };
}

async function factsOfRequest(store: Reads, view: ShownRequest, reader: Reader): Promise<StoredFacts> {
  const { request, deposits, legs } = view;
  const hashes = [...new Set(deposits.map(({ transactionHash }) => transactionHash))].filter((hash) => hash !== '');
  const [keys, events, ...holds] = await Promise.all([
    store.keysOfLegs(legs.map((leg) => leg.id)),
    store.eventsOf(request.id, 0),
    ...hashes.map((hash) => store.holdsOfTransaction(hash, MAX_HOLDS)),
  ]);
  const deliveries = reader === 'anyone' ? [] : await deliveriesOf(store, request, events, reader);
  return {
    subject: request,
    status: request.status,
    children: [],
    deposits,
    legs,
    keys,
    events,
    deliveries,
    holds: holds.flat().filter(({ requestId }) => requestId === request.id),
  };
}

/** Deliveries are named by endpoint and event. */
async function deliveriesOf(
  store: Pick<Reads, 'endpoints' | 'deliveries' | 'apiKey'>,
  { keyId }: RequestRow,
  events: readonly FeedRow[],
  reader: Reader,
): Promise<readonly DeliveryRow[]> {
  const owner = keyId === null ? undefined : (await store.apiKey(keyId))?.integratorId;
  const isShown = (of: string | null) => reader === 'operator' || (of !== null && of === owner);
  const endpoints = (await store.endpoints()).filter(({ integratorId }) => isShown(integratorId));
  const ids = endpoints.flatMap((endpoint) => events.map((event) => `${endpoint.id}/${event.id}`));
  return store.deliveries(ids.slice(0, MAX_DELIVERIES));
}
