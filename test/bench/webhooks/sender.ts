import type { Logger, Notifier, PluginContext } from '@causeway/core';
import { plugin, type WebhooksOptions } from '@causeway/plugin-webhooks';
import { Pool } from 'undici';
import { core } from '../ledger/core.js';
import { machineMs } from '../ledger/messages.js';
import { digest } from '../ledger/shape.js';
import { type FromSender, SECRET, type SenderPlan, type ToSender } from './messages.js';
import { profiled } from './profile.js';

/**
 * The service's dispatcher with the webhooks plugin and the real store in its own process, and a generator of events.
 */
const plan = JSON.parse(process.argv[2] ?? '') as SenderPlan;
const report = (message: FromSender) => process.send?.(message);
const { createDispatcher } = await core('events/dispatch/dispatcher');
const { systemClock: clock } = await core('ports/system-clock');
const { systemRandom: random } = await core('host/system-random');
const { MetricsHub } = await core('observability/metrics');
const { sqliteStore } = await core('store/index');

const CONNECTIONS = 8;
const LARGE = 500;
const SAMPLE_MS = 500;

let end: () => Promise<void> = async () => undefined;
const quiet = () => undefined;
const log: Logger = { debug: quiet, info: quiet, warn: quiet, error: console.error, child: () => log };
const hub = new MetricsHub({ process: true });
const store = sqliteStore({ file: plan.file, clock, log, metrics: hub.view('store') });
await store.open();

const notifiers: Notifier[] = [];
const stops: (() => Promise<void>)[] = [];
const endpoints = plan.urls.map((url, n) => ({
  ...{ name: `e${n}`, url, secrets: ['env:SECRET'], signatures: ['standard'] as const },
  ...{ headers: {}, chains: [], statuses: [] },
}));
plugin.register({
  ...{ id: 'webhooks', network: 'local', clock, random, keys: { secret: () => SECRET } },
  options: { endpoints, allow: [], ports: [], connectMs: 5_000, answerMs: 15_000, totalMs: 20_000 },
  notifiers: { add: (notifier: Notifier) => void notifiers.push(notifier) },
  channels: { add: quiet },
  lifecycle: { onStart: quiet, onStop: (task: () => Promise<void>) => void stops.push(task) },
} as unknown as PluginContext<WebhooksOptions>);
const dispatcher = createDispatcher({
  ...{ store, notifiers, clock, random, log, leaseTtlMs: 5_000 },
  metrics: hub.view('dispatcher'),
  leaseMetrics: hub.view('engine'),
  alerts: { raise: quiet, clear: quiet, list: () => [] },
});

const sequences = new Map<string, number>();

function eventOf(n: number, requests: number) {
  const requestId = digest('request', n % requests);
  const sequence = (sequences.get(requestId) ?? 0) + 1;
  sequences.set(requestId, sequence);
  const createdAt = Date.now();
  const hashes = (role: string) => [{ txHash: digest(role, n), chainId: 1 }];
  const data = { requestId, status: 'pending', inTxHashes: hashes('in'), txHashes: hashes('out') };
  const places = { originChainId: 1, destinationChainId: 10, updatedAt: createdAt, user: digest('user', n) };
  const payload = JSON.stringify({
    event: 'request.status.updated',
    timestamp: createdAt,
    data: { ...data, ...places },
  });
  return {
    id: `${requestId}:${sequence}`,
    requestId,
    sequence,
    kind: 'request.status.updated',
    payload,
    createdAt,
  } as const;
}

async function happen(events: number, requests: number, perSecond: number | undefined) {
  const commits: [string, number][] = [];
  const apply = async (rows: readonly ReturnType<typeof eventOf>[]): Promise<void> => {
    const changes = rows.map((row) => ({ op: 'insert', table: 'events', row }) as const);
    const outcome = await store.apply({ name: 'bench.events', changes });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome));
    const at = machineMs();
    for (const { id } of rows) commits.push([id, at]);
  };
  if (perSecond === undefined) {
    for (let n = 0; n < events; n += LARGE)
      await apply(Array.from({ length: Math.min(LARGE, events - n) }, (_, of) => eventOf(n + of, requests)));
    return commits;
  }
  const begun = machineMs();
  const open = new Set<Promise<void>>();
  for (let n = 0; n < events; ) {
    const due = Math.min(events, Math.floor(((machineMs() - begun) / 1_000) * perSecond) + 1);
    for (; n < due; n += 1) {
      const task = apply([eventOf(n, requests)]).finally(() => open.delete(task));
      open.add(task);
    }
    await clock.sleep(1);
  }
  await Promise.all(open);
  return commits;
}

async function drain(): Promise<Extract<FromSender, { type: 'drained' }>> {
  const [begun, rss] = [machineMs(), [] as number[]];
  for (;;) {
    await clock.sleep(SAMPLE_MS);
    rss.push(process.memoryUsage.rss() / 1_048_576);
    const [end, marks] = [
      await store.feedEnd(),
      await Promise.all([...Array(8).keys()].map((at) => store.meta(`dispatch:${at}`))),
    ];
    const read = marks.filter((mark) => mark !== undefined);
    if (read.some(({ value }) => Number(value) < end)) continue;
    if ((await store.backlog()).length === 0) return { type: 'drained', seconds: (machineMs() - begun) / 1_000, rss };
  }
}

async function bare(url: string, posts: number): Promise<number> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const bodies = Array.from({ length: 1_000 }, (_, n) => eventOf(n, 1_000)).map(({ id, sequence, payload }) =>
    JSON.stringify({ ...(JSON.parse(payload) as object), id, sequence }),
  );
  sequences.clear();
  const headers = { 'content-type': 'application/json' };
  let left = posts;
  const begun = machineMs();
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { body } = await pool.request({ path, method: 'POST', headers, body: bodies[left % bodies.length] ?? '' });
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, one));
  const seconds = (machineMs() - begun) / 1_000;
  await pool.close();
  return seconds;
}

async function answer(message: ToSender): Promise<FromSender> {
  switch (message.type) {
    case 'start':
      await dispatcher.start();
      return { type: 'started' };
    case 'stop':
      await dispatcher.stop();
      for (const stop of stops) await stop();
      await store.close();
      return { type: 'stopped' };
    case 'happen':
      return { type: 'happened', commits: await happen(message.events, message.requests, message.perSecond) };
    case 'drain':
      return drain();
    case 'profile':
      end = await profiled(message.folder, 'sender');
      return { type: 'profiling' };
    case 'profile-end':
      await end();
      return { type: 'profiled' };
    case 'bare':
      return { type: 'posted', seconds: await bare(message.url, message.posts) };
  }
}

process.on('message', (message: ToSender) => void answer(message).then(report));
process.once('disconnect', () => process.exit(0));
report({ type: 'ready' });
