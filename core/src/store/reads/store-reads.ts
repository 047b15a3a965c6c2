import type { DeliveryFilter } from '../../contract/delivery-rows.js';
import type { ChainId, FundingKey, Hex, OrderId, RequestId, UnixMs } from '../../contract/ids.js';
import type { Page, RequestSearch } from '../../contract/search.js';
import type { LaneKey, PostingMark, RequestMark, ShownRequest, Store } from '../../contract/store.js';
import type {
  BalanceEventFilter,
  BalanceEventRow,
  DepositRow,
  FeeClaimRow,
  HintRow,
  HoldRow,
  SponsorshipRow,
} from '../../contract/store-rows.js';
import { searchPage, searchTotal } from '../search/page.js';
import * as addressReads from './addresses.js';
import { backlog } from './backlog.js';
import * as balanceReads from './balances.js';
import * as deliveryReads from './deliveries.js';
import * as depositReads from './deposits.js';
import * as dueReads from './due-deliveries.js';
import * as earmarkReads from './earmarks.js';
import * as executionReads from './executions.js';
import * as claimReads from './fee-claims.js';
import { recentFills } from './fills.js';
import * as legReads from './legs.js';
import * as nonceReads from './nonce-mappings.js';
import { ordersByPrefix } from './orders-by-prefix.js';
import { postings } from './postings.js';
import type { Reader } from './reader.js';
import * as requestReads from './requests.js';
import * as serviceReads from './service.js';
import { statuses } from './statuses.js';
import { stuck } from './stuck.js';

export interface ReadingDeps {
  readonly read: <T>(task: (reader: Reader) => Promise<T>) => Promise<T>;
  readonly readTogether: <T>(task: (reader: Reader) => Promise<T>) => Promise<T>;
  readonly readSearch: <T>(task: (reader: Reader) => Promise<T>) => Promise<T>;
  readonly hidden: () => readonly ChainId[];
}

type Writing = 'open' | 'close' | 'apply' | 'claimLeases' | 'releaseLeases' | 'onHint' | 'onEvents' | 'prune' | 'probe';

export function storeReads({ read, readTogether, readSearch, hidden }: ReadingDeps): Omit<Store, Writing> {
  return {
    ping: () => read(async (reader) => void (await reader.raw('select 1'))),

    quote: (id: RequestId) => read((reader) => requestReads.quote(reader, id)),
    quotesByOrder: (ids: readonly OrderId[]) => read((reader) => requestReads.quotesByOrder(reader, ids)),
    unpaidQuotes: (limit: number) => read((reader) => requestReads.unpaidQuotes(reader, limit)),
    tombstonesByOrder: (ids: readonly OrderId[]) => read((reader) => requestReads.tombstonesByOrder(reader, ids)),
    ordersByPrefix: (prefixes: readonly Hex[]) => read((reader) => ordersByPrefix(reader, prefixes)),
    request: (id: RequestId) => read((reader) => requestReads.request(reader, id)),
    requests: (ids: readonly RequestId[]) => read((reader) => requestReads.requests(reader, ids)),
    requestsByOrder: (ids: readonly OrderId[]) => read((reader) => requestReads.requestsByOrder(reader, ids)),
    views: (ids: readonly RequestId[]) => readTogether((reader) => requestReads.views(reader, ids)),
    shown: (id: RequestId) => readTogether(async (reader) => (await requestReads.shown(reader, [id]))[0]),
    statuses: (ids: readonly RequestId[]) => read((reader) => statuses(reader, ids)),
    clientMetadata: (ids: readonly RequestId[]) => read((reader) => requestReads.clientMetadata(reader, ids)),
    idempotencyKey: (id: string) => read((reader) => requestReads.idempotencyKey(reader, id)),
    search: (search: RequestSearch) => readSearch((reader) => searchViews(reader, search, hidden())),
    stuck: (before: UnixMs, lanes: readonly LaneKey[], limit: number) =>
      readTogether((reader) => stuck(reader, before, lanes, limit)),
    unsettled: (limit: number, after?: RequestId) => read((reader) => requestReads.unsettled(reader, limit, after)),

    recentFills: (since: UnixMs, limit: number) => read((reader) => recentFills(reader, since, limit)),

    deposits: (keys: readonly FundingKey[]) => read((reader) => depositReads.deposits(reader, keys)),
    depositsAbove: (chain: ChainId, height: number) =>
      read((reader) => depositReads.depositsAbove(reader, chain, height)),
    depositsToFinalise: (chain: ChainId, height: number, limit: number) =>
      read((reader) => depositReads.depositsToFinalise(reader, chain, height, limit)),
    unconfirmed: (chain: ChainId, limit: number) => read((reader) => depositReads.unconfirmed(reader, chain, limit)),
    undecided: (chain: ChainId, limit: number) => read((reader) => depositReads.undecided(reader, chain, limit)),
    collectable: (chain: ChainId, limit: number) => read((reader) => depositReads.collectable(reader, chain, limit)),
    depositsOfCollect: (legId: string) => read((reader) => depositReads.depositsOfCollect(reader, legId)),
    depositsAt: (chain: ChainId, addresses: readonly string[]) =>
      read((reader) => depositReads.depositsAt(reader, chain, addresses)),
    undecidedAt: (chain: ChainId, limit: number) => read((reader) => depositReads.undecidedAt(reader, chain, limit)),
    unswept: (chain: ChainId, after: Pick<DepositRow, 'seenAt' | 'fundingKey'>, limit: number) =>
      read((reader) => depositReads.unswept(reader, chain, after, limit)),
    addresses: (ids: readonly string[]) => read((reader) => addressReads.addresses(reader, ids)),
    addressesOf: (salts: readonly RequestId[]) => read((reader) => addressReads.addressesOf(reader, salts)),
    addressesAfter: (chain: ChainId, after: number, limit: number) =>
      read((reader) => addressReads.addressesAfter(reader, chain, after, limit)),
    nonceMappings: (ids: readonly string[]) => read((reader) => nonceReads.nonceMappings(reader, ids)),

    executions: (ids: readonly string[]) => read((reader) => executionReads.executions(reader, ids)),
    executionsOf: (requests: readonly RequestId[]) => read((reader) => executionReads.executionsOf(reader, requests)),
    executionsAbove: (chain: ChainId, height: number) =>
      read((reader) => executionReads.executionsAbove(reader, chain, height)),
    executionsToFinalise: (chain: ChainId, height: number, limit: number) =>
      read((reader) => executionReads.executionsToFinalise(reader, chain, height, limit)),
    hintsAfter: (after: Pick<HintRow, 'createdAt' | 'id'>, limit: number) =>
      read((reader) => executionReads.hintsAfter(reader, after, limit)),

    legs: (ids: readonly string[]) => read((reader) => legReads.legs(reader, ids)),
    legsOfRequests: (ids: readonly RequestId[]) => read((reader) => legReads.legsOfRequests(reader, ids)),
    legsOfDeposits: (keys: readonly FundingKey[]) => read((reader) => legReads.legsOfDeposits(reader, keys)),
    claimDue: (chain: ChainId, signer: string, now: UnixMs, limit: number) =>
      read((reader) => legReads.claimDue(reader, chain, signer, now, limit)),
    openKeys: (chain: ChainId, signer: string, limit: number) =>
      readTogether((reader) => legReads.openKeys(reader, chain, signer, limit)),
    keysOfLegs: (ids: readonly string[]) => readTogether((reader) => legReads.keysOfLegs(reader, ids)),
    waiting: (chain: ChainId, signer: string, limit: number) =>
      read((reader) => legReads.waiting(reader, chain, signer, limit)),
    attemptsByHash: (chain: ChainId, hashes: readonly string[]) =>
      read((reader) => legReads.attemptsByHash(reader, chain, hashes)),
    lane: (chain: ChainId, signer: string) => read((reader) => legReads.lane(reader, chain, signer)),
    lanes: () => read(legReads.lanes),
    cursor: (chain: ChainId) => read((reader) => serviceReads.cursor(reader, chain)),

    pots: (prefix: string) => read((reader) => serviceReads.pots(reader, prefix)),
    postings: (from: UnixMs, to: UnixMs, limit: number, after?: PostingMark) =>
      read((reader) => postings(reader, from, to, limit, after)),
    pot: (account: string) => read((reader) => serviceReads.pot(reader, account)),
    events: (after: number, limit: number) => read((reader) => serviceReads.events(reader, after, limit)),
    requestsOfKey: (keyId: string, after: RequestMark, limit: number) =>
      read((reader) => requestReads.requestsOfKey(reader, keyId, after, limit)),
    eventsOf: (request: RequestId, after: number) => read((reader) => serviceReads.eventsOf(reader, request, after)),
    feedEnd: () => read(deliveryReads.feedEnd),
    endpoints: () => read(deliveryReads.endpoints),
    endpoint: (id: string) => read((reader) => deliveryReads.endpoint(reader, id)),
    deliveriesOf: (endpointId: string, filter: DeliveryFilter) =>
      read((reader) => deliveryReads.deliveriesOf(reader, endpointId, filter)),
    deliveriesAgain: (endpoints: readonly string[], limit: number) =>
      read((reader) => deliveryReads.deliveriesAgain(reader, endpoints, limit)),
    deliveries: (ids: readonly string[]) => read((reader) => deliveryReads.deliveries(reader, ids)),
    openDeliveries: (requests: readonly RequestId[], endpoints?: readonly string[]) =>
      read((reader) => deliveryReads.openDeliveries(reader, requests, endpoints)),
    dueDeliveries: (endpoints: readonly string[], now: UnixMs, each: number) =>
      readTogether((reader) => dueReads.dueDeliveries(reader, endpoints, now, each)),
    backlog: () => read(backlog),
    firstDue: (endpoints: readonly string[]) => read((reader) => dueReads.firstDue(reader, endpoints)),
    undescribed: (limit: number) => read((reader) => serviceReads.undescribed(reader, limit)),
    apiKeyByHash: (hash: string) => read((reader) => serviceReads.apiKeyByHash(reader, hash)),
    apiKey: (id: string) => read((reader) => serviceReads.apiKey(reader, id)),
    apiKeys: () => read(serviceReads.apiKeys),
    apiKeysOf: (integratorId: string) => read((reader) => serviceReads.apiKeysOf(reader, integratorId)),
    integrator: (id: string) => read((reader) => serviceReads.integrator(reader, id)),
    integrators: () => read(serviceReads.integrators),
    pauses: () => read(serviceReads.pauses),
    holds: (state: HoldRow['state']) => read((reader) => serviceReads.holds(reader, state)),
    hold: (id: string) => read((reader) => serviceReads.hold(reader, id)),
    holdsOfTransaction: (hash: string, limit: number) =>
      read((reader) => serviceReads.holdsOfTransaction(reader, hash, limit)),
    feeClaim: (id: FeeClaimRow['id']) => readTogether((reader) => claimReads.feeClaim(reader, id)),
    feeClaims: (wallets: readonly string[], limit: number, after?: Pick<FeeClaimRow, 'createdAt' | 'id'>) =>
      readTogether((reader) => claimReads.feeClaims(reader, wallets, limit, after)),
    earmarks: (ids: readonly RequestId[]) => read((reader) => earmarkReads.earmarks(reader, ids)),
    overdueEarmarks: (before: UnixMs, limit: number) =>
      read((reader) => earmarkReads.overdueEarmarks(reader, before, limit)),
    sponsorships: (ids: readonly RequestId[]) => read((reader) => balanceReads.sponsorships(reader, ids)),
    openSponsorships: (after: Pick<SponsorshipRow, 'createdAt' | 'id'>, limit: number) =>
      read((reader) => balanceReads.openSponsorships(reader, after, limit)),
    balanceEvents: (
      integratorId: string,
      filter: BalanceEventFilter,
      limit: number,
      after?: Pick<BalanceEventRow, 'createdAt' | 'id'>,
    ) => read((reader) => balanceReads.balanceEvents(reader, integratorId, filter, limit, after)),
    sponsorPolicy: (keyId: string) => read((reader) => balanceReads.sponsorPolicy(reader, keyId)),
    meta: (key: string) => read((reader) => serviceReads.meta(reader, key)),
  };
}

async function searchViews(
  reader: Reader,
  search: RequestSearch,
  hidden: readonly ChainId[],
): Promise<Page<ShownRequest>> {
  const { found, more } = await searchPage(reader, search, hidden);
  const rows = await requestReads.shown(
    reader,
    found.map((row) => row.id as RequestId),
  );
  const last = found.at(-1);
  return {
    rows,
    ...(more && last ? { next: last } : {}),
    ...(search.total ? { total: await searchTotal(reader, search.filter, hidden) } : {}),
  };
}
