import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { DeliveryRow } from '../../contract/delivery-rows.js';
import type { ChainId, RequestId } from '../../contract/ids.js';
import type { FeedRow, OpenKey, Store } from '../../contract/store.js';
import type { DepositRow, HoldRow, LegRow, QuoteRow, RequestRow } from '../../contract/store-rows.js';

/** How much of a request a reader may see: `owner` is the integrator that asked for the quote. */
export type Reader = 'anyone' | 'owner' | 'operator';

/** Everything of one request that the store knows. */
export interface TimelineFacts {
  /** An unpaid quote has no request. */
  readonly subject: RequestRow | QuoteRow;
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
  'quote' | 'shown' | 'keysOfLegs' | 'holdsOfTransaction' | 'eventsOf' | 'endpoints' | 'deliveries' | 'apiKey'
>;

const MAX_HOLDS = 50;
const MAX_DELIVERIES = 500;

export type StoredFacts = Omit<TimelineFacts, 'chains' | 'headOf'>;

/** Undefined: neither a request nor a quote has the id. */
export async function readFacts(store: Reads, id: RequestId, reader: Reader): Promise<StoredFacts | undefined> {
  const view = await store.shown(id);
  if (view === undefined) {
    const quote = await store.quote(id);
    return quote && { subject: quote, deposits: [], legs: [], keys: [], holds: [], events: [], deliveries: [] };
  }
  const { request, deposits, legs } = view;
  const hashes = [...new Set(deposits.map(({ transactionHash }) => transactionHash))].filter((hash) => hash !== '');
  const [keys, events, ...holds] = await Promise.all([
    store.keysOfLegs(legs.map((leg) => leg.id)),
    store.eventsOf(id, 0),
    ...hashes.map((hash) => store.holdsOfTransaction(hash, MAX_HOLDS)),
  ]);
  const deliveries = reader === 'anyone' ? [] : await deliveriesOf(store, request, events, reader);
  return {
    subject: request,
    deposits,
    legs,
    keys,
    events,
    deliveries,
    holds: holds.flat().filter(({ requestId }) => requestId === id),
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
