import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { LiquiditySource } from '../contract/liquidity.js';
import type { EndpointChannel, Notifier } from '../contract/notifier.js';
import type { PluginContext, Registry } from '../contract/plugin.js';
import type { Screener } from '../contract/screening.js';
import type { RemoteSigner } from '../contract/signer.js';
import type { Store } from '../contract/store.js';

/**
 * What calling a port's method does. `call`: leaves the process and may change something there, or returns data that
 * decisions rest on. `stream`: each yielded item is such a call. `read`: queries the service's store or data that no
 * decision rests on; ending before, during or after it leaves the same state.
 */
export type CallKind = 'call' | 'stream' | 'read';

/** The asynchronous methods of each member of a union. */
type OwnAsyncMethod<T> = T extends unknown
  ? {
      [K in keyof T]-?: NonNullable<T[K]> extends (...args: never[]) => infer R
        ? R extends Promise<unknown> | AsyncIterable<unknown>
          ? K
          : never
        : never;
    }[keyof T] &
      string
  : never;

/** Member of a port that groups further methods; they are listed, named and stepped through like the port's own. */
export const PART = 'keys';

type AsyncMethod<T> = OwnAsyncMethod<T> | (T extends { readonly [PART]: infer Part } ? OwnAsyncMethod<Part> : never);

/** Every asynchronous method of a port: a new one does not compile until it is listed. */
export type Calls<T> = Readonly<Record<AsyncMethod<T>, CallKind>>;

type OfRegistry<T> = T extends Registry<infer Item> ? Item : T extends { set(item: infer Item): void } ? Item : never;

/** What plugins register, without registries that only answer from memory, and routes: nothing is decided by them. */
type Brought = {
  [K in Exclude<keyof PluginContext<unknown>, 'routes'> as [
    AsyncMethod<OfRegistry<PluginContext<unknown>[K]>>,
  ] extends [never]
    ? never
    : K]: Calls<OfRegistry<PluginContext<unknown>[K]>>;
};

const chain: Calls<ChainAdapter> = {
  userBalance: 'read',
  fillCost: 'read',
  refuseAccount: 'read',
  potBalance: 'call',
  watchDeposits: 'stream',
  witness: 'call',
  revertedExecution: 'call',
  paidAlone: 'call',
  isDepositorsMoney: 'call',
  lanePosition: 'call',
  sentSince: 'call',
  spenderOf: 'call',
  check: 'call',
  checkTogether: 'call',
  paidBy: 'call',
  prepare: 'call',
  sign: 'call',
  send: 'call',
  replace: 'call',
  look: 'call',
  unfilledForGood: 'call',
  describeTransaction: 'call',
  probe: 'call',
  setUp: 'stream',
};

const store: Calls<Store> = {
  open: 'call',
  close: 'call',
  apply: 'call',
  prune: 'call',
  claimLeases: 'call',
  releaseLeases: 'call',
  quote: 'read',
  quotesByOrder: 'read',
  unpaidQuotes: 'read',
  freeBytes: 'read',
  tombstonesByOrder: 'read',
  ordersByPrefix: 'read',
  request: 'read',
  requests: 'read',
  requestsByOrder: 'read',
  views: 'read',
  shown: 'read',
  statuses: 'read',
  clientMetadata: 'read',
  idempotencyKey: 'read',
  search: 'read',
  stuck: 'read',
  unsettled: 'read',
  recentFills: 'read',
  deposits: 'read',
  depositsAbove: 'read',
  depositsToFinalise: 'read',
  unconfirmed: 'read',
  undecided: 'read',
  collectable: 'read',
  depositsOfCollect: 'read',
  depositsAt: 'read',
  undecidedAt: 'read',
  unswept: 'read',
  addresses: 'read',
  addressesOf: 'read',
  addressesAfter: 'read',
  nonceMappings: 'read',
  executions: 'read',
  executionsOf: 'read',
  executionsAbove: 'read',
  executionsToFinalise: 'read',
  hintsAfter: 'read',
  legs: 'read',
  legsOfRequests: 'read',
  legsOfDeposits: 'read',
  claimDue: 'read',
  openKeys: 'read',
  keysOfLegs: 'read',
  waiting: 'read',
  attemptsByHash: 'read',
  lane: 'read',
  lanes: 'read',
  cursor: 'read',
  pots: 'read',
  postings: 'read',
  pot: 'read',
  events: 'read',
  requestsOfKey: 'read',
  eventsOf: 'read',
  feedEnd: 'read',
  endpoints: 'read',
  endpoint: 'read',
  deliveriesOf: 'read',
  deliveriesAgain: 'read',
  deliveries: 'read',
  openDeliveries: 'read',
  dueDeliveries: 'read',
  backlog: 'read',
  firstDue: 'read',
  undescribed: 'read',
  apiKeyByHash: 'read',
  apiKey: 'read',
  apiKeys: 'read',
  apiKeysOf: 'read',
  integrator: 'read',
  integrators: 'read',
  pauses: 'read',
  holds: 'read',
  hold: 'read',
  holdsOfTransaction: 'read',
  feeClaim: 'read',
  feeClaims: 'read',
  earmarks: 'read',
  overdueEarmarks: 'read',
  sponsorships: 'read',
  openSponsorships: 'read',
  balanceEvents: 'read',
  sponsorPolicy: 'read',
  meta: 'read',
  ping: 'read',
  probe: 'read',
};

const liquidity: Calls<LiquiditySource> = { quote: 'call', build: 'call' };
const screener: Calls<Screener> = { screen: 'call' };
const notifier: Calls<Notifier> = { deliver: 'call' };
const channel: Calls<EndpointChannel> = { refuse: 'call', deliver: 'call' };
const signer: Calls<RemoteSigner> = { accounts: 'read', sign: 'call' };

/**
 * Every way in which the service reaches the outside, by registry. A registry for a new kind of port does not compile
 * until its calls are listed.
 */
export const EXTERNAL_CALLS = {
  chains: chain,
  stores: store,
  liquidity,
  screeners: screener,
  notifiers: notifier,
  channels: channel,
  signers: signer,
} as const satisfies Brought;

/** Prefix of a port's call names. */
export const PORT_NAMES: Readonly<Record<keyof Brought, string>> = {
  chains: 'chain',
  stores: 'store',
  liquidity: 'liquidity',
  screeners: 'screener',
  notifiers: 'notifier',
  channels: 'channel',
  signers: 'signer',
};

export type PortKind = keyof Brought;

export type PortOf<K extends PortKind> = OfRegistry<PluginContext<unknown>[K]>;
