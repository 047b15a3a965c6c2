import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, type ApiDeps, createApi, RETIREMENT } from '../../../src/api/index.js';
import type { Clock, Currency, Logger } from '../../../src/contract/index.js';
import { account } from '../../../src/domain/accounts.js';
import type { ServicePolicy } from '../../../src/domain/policy.js';
import type { PriceBook } from '../../../src/domain/price-book.js';
import { createEngine, type OperatorOutcome } from '../../../src/engine/index.js';
import { createEndpoints, Sealer } from '../../../src/events/endpoints/index.js';
import { systemRandom } from '../../../src/host/system-random.js';
import { NO_SCREENING } from '../../../src/screening/screening.js';
import { secp256k1Signer } from '../../../src/signing/secp256k1.js';
import { type SqliteStore, sqliteStore } from '../../../src/store/index.js';
import { move } from '../../../src/testing/store-fixtures.js';
import { address, type ChainDouble, chainDouble, INVENTORY, NATIVE, OTHER_TOKEN, TOKEN } from './chain-double.js';
import { ChannelDouble } from './channel-double.js';
import { type Documented, documented } from './documented.js';

export const API_KEY = 'api-key-for-tests-0123456789';
export const ADMIN_KEY = 'admin-key-for-tests-0123456789';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** The real API, socket and database; chains are doubles, the engine is real for holds, claims and sweeps only. */
export interface RunningApi {
  readonly url: string;
  readonly api: Api;
  readonly store: SqliteStore;
  readonly a: ChainDouble;
  readonly b: ChainDouble;
  readonly channel: ChannelDouble;
  readonly engine: {
    available: bigint;
    paused: 'all' | 'chain' | 'route' | null;
    pauseReason: string | null;
    readonly pauses: (readonly [string, boolean, string | null])[];
    /** Received operator commands. */
    readonly commands: string[];
    outcome: OperatorOutcome;
  };
  /** USD by asset group. */
  readonly prices: Record<string, string>;
  readonly clock: { offset: number };
  readonly logs: LogLine[];
  readonly observed: { readonly name: string; readonly labels: unknown }[];
  readonly solver: string;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  reset(): void;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const PLUGIN_ROUTES: ReturnType<ApiDeps['pluginRoutes']> = [
  {
    owner: 'hello',
    at: '/plugins/hello',
    route: {
      method: 'GET',
      path: '/world',
      access: 'open',
      handle: ({ query }) => ({ json: { name: query.get('name') } }),
    },
  },
];

export const POLICY: ServicePolicy = {
  network: 'local',
  solverChain: 'alpha',
  orderTtlMs: 60_000,
  confirmationTimeoutMs: 3_600_000,
  defaultSlippageBps: 50,
  routeFees: [
    { originChainId: 2, destinationChainId: 1, bps: 10, floorMicroUsd: 0n },
    { bps: 5, floorMicroUsd: 10_000n },
  ],
  limits: {
    maxRequestMicroUsd: 1_000_000_000_000n,
    maxUnfinalMicroUsd: null,
    maxDailyMicroUsd: null,
    dustMicroUsd: 0n,
  },
  spread: { classes: [{ bps: 0, perRootMinuteBps: 0 }] },
  fixedRate: {
    validityMs: 20_000,
    fee: {
      classes: [
        { groups: ['ether'], bps: 7, perRootMinuteBps: 0 },
        { bps: 2, perRootMinuteBps: 0 },
      ],
    },
    maxHeldMicroUsdPerKey: 10n ** 15n,
    maxHeldMicroUsd: 10n ** 16n,
  },
  swaps: { mostImpactBps: 1_000 },
  mostPartedBps: 100,
  mostTopUpMicroUsd: 20_000_000n,
  mostUnpaidQuotes: null,
  mostAddressesPerDay: null,
  anonymousQuotes: { lifeMs: 6 * 3_600_000, most: null },
  deliveryLifeMs: 30 * 86_400_000,
  leastFreeBytes: 0n,
  custodians: new Map(),
  bumpAfterBlocks: 3,
  inclusionWindowMs: 20_000,
  fillConfirmations: 1,
  deadlineMarginMs: 1_000,
  withdrawalTtlMs: 60_000,
  collect: { everyMs: 60_000, minMicroUsd: 0n },
  gasReserveFills: 1,
  giveUpShortMs: 60_000,
  leaseTtlMs: 3_000,
  reconcileEveryMs: 60_000,
};

export async function runningApi(change: Partial<ApiDeps> = {}): Promise<RunningApi> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-api-'));
  const offset = { offset: 0 };
  const clock: Clock = {
    now: () => Date.now() + offset.offset,
    monotonic: () => performance.now() + offset.offset,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      }),
    every: () => () => undefined,
  };
  const logs: LogLine[] = [];
  const logger = (bound: object): Logger => {
    const line = (level: string) => (fields: object, message: string) =>
      void logs.push({ level, message, fields: { ...bound, ...fields } });
    const child = (fields: object) => logger({ ...bound, ...fields });
    return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error'), child };
  };
  const log = logger({});
  const observed: { name: string; labels: unknown }[] = [];
  const quiet = () => undefined;
  const metrics = {
    count: quiet,
    gauge: quiet,
    observe: (name: string, _help: string, _ms: number, labels?: unknown) => void observed.push({ name, labels }),
  };
  const store = sqliteStore({ file: join(folder, 'causeway.db'), clock, log, metrics });
  await store.open();
  await store.apply({
    name: 'test.key',
    changes: [
      {
        op: 'insert',
        table: 'apiKeys',
        row: {
          id: 'key-1',
          version: 1,
          name: 'tests',
          prefix: API_KEY.slice(0, 6),
          hash: createHash('sha256').update(API_KEY).digest('hex'),
          integratorId: 'integrator-1',
          scopes: '["*"]',
          tier: 'default',
          privateChains: '[]',
          createdAt: clock.now(),
          expiresAt: null,
          replacedBy: null,
          revokedAt: null,
        },
      },
      // Inventory for fixed rates.
      ...[1, 2].flatMap((chain) =>
        [NATIVE, TOKEN, OTHER_TOKEN].map((currency) => {
          const inventory = account.inventory(chain, INVENTORY, currency);
          return move(`held:${chain}:${currency}`, account.opening(chain, currency), inventory, 10n ** 24n);
        }),
      ),
    ],
  });
  const [a, b] = [chainDouble(1, 'alpha'), chainDouble(2, 'beta')];
  const engine: RunningApi['engine'] = {
    available: 10n ** 30n,
    paused: null,
    pauseReason: null,
    pauses: [],
    commands: [],
    outcome: { ok: true, state: 'owed', message: 'it is owed' },
  };
  const operated = async (command: string): Promise<OperatorOutcome> => {
    engine.commands.push(command);
    return engine.outcome;
  };
  const prices: Record<string, string> = {};
  const reset = () => {
    Object.assign(prices, { ether: '2000', 'usd-coin': '1', dai: '1', block: '1' });
    Object.assign(engine, { available: 10n ** 30n, paused: null, pauseReason: null });
    offset.offset = 0;
    a.reset();
    b.reset();
  };
  reset();
  const orderSigner = secp256k1Signer(Buffer.alloc(32, 7));
  const priceBook: PriceBook = {
    price: (currency: Currency) => {
      const usd = prices[currency.group];
      if (usd === undefined) return { ok: false, why: 'unknown' };
      return usd === 'stale' ? { ok: false, why: 'stale' } : { ok: true, usd, at: 0, source: 'test-prices' };
    },
  };
  const chains = change.chains ?? new Map([a, b].map(({ adapter }) => [adapter.facts.id, adapter]));
  // Never started, as in an API-only process.
  const real = createEngine({
    ...{
      store,
      chains,
      prices: priceBook,
      liquidity: () => [],
      screening: NO_SCREENING,
      policy: change.policy ?? POLICY,
      service: orderSigner.address,
    },
    ...{ clock, random: systemRandom, log, metrics, alerts: { raise: quiet, clear: quiet, list: () => [] } },
  });
  const channel = new ChannelDouble();
  const sealer = new Sealer(['a key that encrypts the secrets of endpoints'], systemRandom);
  const api = createApi({
    store,
    endpoints: createEndpoints({ store, channel, sealer, clock, random: systemRandom }),
    chains,
    prices: priceBook,
    engine: {
      available: () => engine.available,
      earmark: (output) => real.earmark(output),
      shortOfSpace: () => false,
      unserved: () => null,
      chainStatus: (id) => chains.get(id)?.status() ?? { healthy: false, reason: null, head: null },
      volumeLeft: () => null,
      paused: () => engine.paused,
      pauseReason: () => engine.pauseReason,
      pause: async (scope, paused, reason) => void engine.pauses.push([scope, paused, reason]),
      overview: () => real.overview(),
      waitsFor: (id) => real.waitsFor(id),
      audit: async () => ({
        at: 1,
        balanced: true,
        covered: true,
        sums: [],
        pots: [],
        unsettled: 0,
        openHolds: 0,
        appBalances: { balance: '0', reserved: '0', available: '0', wrong: [] },
        addresses: [],
        requests: [],
        holds: [],
        lanes: [],
        orphans: [],
      }),
      refundRequest: async (id) => operated(`refund ${id}`),
      releaseHold: async (id, to, unpaid) =>
        operated(`release ${id}${to === undefined ? '' : ` to ${to}`}${unpaid === true ? ' unpaid' : ''}`),
      holdsOf: (hash) => real.holdsOf(hash),
      hold: (id, recipient) => real.hold(id, recipient),
      claimHold: (id, recipient, signature) => real.claimHold(id, recipient, signature),
      feeBalance: (place) => real.feeBalance(place),
      offerFees: (ask) => real.offerFees(ask),
      claimFees: (ask, id, signature) => real.claimFees(ask, id, signature),
      recoverAddress: async (chainId, requestId) => operated(`recover ${chainId} ${requestId}`),
      sweepAddress: (chainId, name) => real.sweepAddress(chainId, name),
      callLanes: (chainId) => real.callLanes(chainId),
      acceptCall: (ask, also) => real.acceptCall(ask, also),
      acceptPermit: (ask) => real.acceptPermit(ask),
      inventory: () => real.inventory(),
      report: (from, to, after) => real.report(from, to, after),
      withdraw: (ask) => real.withdraw(ask),
      resumeLane: async (chainId, signer) => operated(`resume ${chainId} ${signer}`),
    },
    liquidity: () => [],
    screening: NO_SCREENING,
    policy: POLICY,
    orderSigner,
    clock,
    random: systemRandom,
    log,
    metrics,
    alerts: { list: () => [{ id: 'gas', message: 'low', since: 1 }] },
    adminKey: ADMIN_KEY,
    metricsText: async () => ({ contentType: 'text/plain; version=0.0.4', text: 'causeway_up 1\n' }),
    pluginRoutes: () => PLUGIN_ROUTES,
    options: {
      anonymousRead: 'off',
      rateLimits: {},
      corsOrigins: ['*'],
      trustedProxies: [],
      // Keeps other tests valid after the sunset.
      retirement: { ...RETIREMENT, sunsetAt: '2999-01-01' },
    },
    ...change,
  });
  const server = createServer(api.handler);
  server.on('upgrade', api.upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await descriptionOf(url);
  return {
    url,
    api,
    store,
    a,
    b,
    channel,
    engine,
    prices,
    clock: offset,
    logs,
    observed,
    solver: orderSigner.address,
    call: (method, path, options) => documentedCall(url, method, path, options),
    reset,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Fails on answers that `/openapi.json` does not describe. */
async function documentedCall(url: string, method: string, path: string, options?: CallOptions): Promise<Reply> {
  const reply = await call(url, method, path, options);
  const wrong =
    method === 'OPTIONS'
      ? undefined
      : (await descriptionOf(url))(method, path, {
          status: reply.status,
          contentType: reply.headers.get('content-type') ?? '',
          body: reply.body,
        });
  if (wrong !== undefined) throw new Error(`${wrong}\n${JSON.stringify(reply.body)?.slice(0, 2_000)}`);
  return reply;
}

const descriptions = new Map<string, Promise<Documented>>();

/** Requested once per service, before any test change. */
function descriptionOf(url: string): Promise<Documented> {
  const known = descriptions.get(url) ?? call(url, 'GET', '/openapi.json').then(({ body }) => documented(body));
  descriptions.set(url, known);
  return known;
}

async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
    ...(payload === undefined ? {} : { body: typeof payload === 'string' ? payload : new Uint8Array(payload) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

export const withKey = { headers: { 'x-api-key': API_KEY } };
export const withAdminKey = { headers: { 'x-admin-key': ADMIN_KEY } };

export const USER = address('1');
export const RECIPIENT = address('2');

/** 100 USDC from alpha to beta. */
export function ask(change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    user: USER,
    recipient: RECIPIENT,
    originChainId: 1,
    destinationChainId: 2,
    originCurrency: address('a'),
    destinationCurrency: address('a'),
    amount: '100000000',
    tradeType: 'EXACT_INPUT',
    ...change,
  };
}
