import { createHash } from 'node:crypto';
import type { ApiKeyRow } from '@causeway/core';
import { benchChain } from './chain.js';
import { changeStatuses } from './changes.js';
import { core } from './core.js';
import { BENCH_KEY, type FromServer, type ServerPlan, type ToServer } from './messages.js';
import { CHAINS } from './shape.js';

/**
 * The service's API with the real store, logs, metrics, limits, timeouts and HTTP server. Without chains and engine,
 * which would be busy all the time without providers.
 */
const plan = JSON.parse(process.argv[2] ?? '') as ServerPlan;
const report = (message: FromServer) => process.send?.(message);
const { createApi } = await core('api/index');
const { createEndpoints, Sealer } = await core('events/endpoints/index');
const { listen } = await core('host/http-server');
const { systemClock: clock } = await core('ports/system-clock');
const { systemRandom: random } = await core('host/system-random');
const { createLogger } = await core('observability/logger');
const { MetricsHub } = await core('observability/metrics');
const { Redactor } = await core('observability/redactor');
const { NO_SCREENING } = await core('screening/screening');
const { secp256k1Signer } = await core('signing/secp256k1');
const { sqliteStore } = await core('store/index');

const redactor = new Redactor();
redactor.add(BENCH_KEY);
const log = createLogger({ level: 'info', redactor });
const hub = new MetricsHub({ process: true });
const store = sqliteStore({ file: plan.file, clock, log, metrics: hub.view('store') });
await store.open();
await store.apply({
  name: 'bench.key',
  changes: [{ op: 'insert', table: 'apiKeys', row: keyRow(), ifAbsent: true }],
});
const many = { default: { requests: 1_000_000, seconds: 1 }, elevated: { requests: 1_000_000, seconds: 1 } };
const absent = () => Promise.reject(new Error('a bench has no engine'));
const api = createApi({
  store,
  chains: new Map(CHAINS.map((chain) => [chain.id, benchChain(chain)])),
  prices: { price: () => ({ ok: false, why: 'unknown' }) },
  engine: {
    available: () => 0n,
    volumeLeft: () => null,
    paused: () => null,
    pauseReason: () => null,
    shortOfSpace: () => false,
    unserved: () => null,
    chainStatus: () => ({ healthy: true, reason: null, head: null }),
    earmark: () => [],
    ...{
      pause: absent,
      audit: absent,
      overview: absent,
      waitsFor: absent,
      refundRequest: absent,
      releaseHold: absent,
      resumeLane: absent,
      recoverAddress: absent,
      sweepAddress: absent,
      callLanes: absent,
      acceptCall: absent,
      acceptPermit: absent,
    },
    ...{ holdsOf: absent, hold: absent, claimHold: absent },
    ...{ inventory: absent, report: absent, withdraw: absent },
    ...{ feeBalance: absent, offerFees: absent, claimFees: absent },
  },
  endpoints: createEndpoints({ store, channel: undefined, sealer: new Sealer([], random), clock, random }),
  liquidity: () => [],
  screening: NO_SCREENING,
  policy: {
    network: 'local',
    solverChain: 'bench-0',
    orderTtlMs: 60_000,
    confirmationTimeoutMs: 3_600_000,
    defaultSlippageBps: 50,
    routeFees: [{ bps: 5, floorMicroUsd: 0n }],
    limits: { maxRequestMicroUsd: null, maxUnfinalMicroUsd: null, maxDailyMicroUsd: null, dustMicroUsd: 0n },
    spread: { classes: [{ bps: 0, perRootMinuteBps: 0 }] },
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
  },
  orderSigner: secp256k1Signer(Buffer.alloc(32, 7)),
  ...{ clock, random, log: log.child({ part: 'api' }), metrics: hub.view('api') },
  alerts: { list: () => [] },
  adminKey: null,
  metricsText: async () => ({ contentType: hub.contentType, text: await hub.text() }),
  pluginRoutes: () => [],
  options: {
    anonymousRead: 'off',
    rateLimits: { quotes: many, requests: many, legacyRequests: many, other: many, status: many },
    load: { maxInProgress: 1_000, maxLoopDelayMs: 1_000 },
    answerWithinMs: 30_000,
    corsOrigins: ['*'],
    trustedProxies: [],
    websocket: { connections: plan.websockets, perAddress: plan.websockets },
  },
});
const server = await listen('127.0.0.1', 0, api, { maxHeaderBytes: 16_384, requestWithinMs: 30_000 });
process.on('message', (message: ToServer) => {
  void answer(message).then(report);
});
process.once('SIGTERM', () => void close());
report({ type: 'ready', port: Number(new URL(server.url).port) });

async function answer(message: ToServer): Promise<FromServer> {
  if (message.type === 'change') return { type: 'changed', commits: await changeStatuses(store, message) };
  globalThis.gc?.();
  await clock.sleep(200);
  globalThis.gc?.();
  return { type: 'rss', bytes: process.memoryUsage.rss() };
}

async function close(): Promise<void> {
  const closed = server.close();
  await api.close();
  await closed;
  await store.close();
  process.exit(0);
}

function keyRow(): ApiKeyRow {
  return {
    id: 'bench',
    version: 1,
    name: 'bench',
    prefix: BENCH_KEY.slice(0, 4),
    hash: createHash('sha256').update(BENCH_KEY).digest('hex'),
    integratorId: 'bench',
    scopes: '["*"]',
    tier: 'elevated',
    privateChains: '[]',
    createdAt: 1,
    expiresAt: null,
    replacedBy: null,
    revokedAt: null,
  };
}
