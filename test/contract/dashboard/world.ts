import { createHash } from 'node:crypto';
import { request } from 'node:http';
import type { PluginContext, TestAccounts } from '@causeway/core';
import type { ApiDeps, MountedRoute } from '../../../core/src/api/index.js';
import { RouteRegistry, routesFor } from '../../../core/src/host/plugins/routes.js';
import { systemRandom } from '../../../core/src/host/system-random.js';
import { ADMIN_KEY, API_KEY, type RunningApi, runningApi } from '../../../core/test/api/support/running-api.js';
import { plugin } from '../../../plugins/dashboard/src/index.js';

export { ADMIN_KEY, API_KEY };
export const OTHER_KEY = 'another-integrators-key-0123456789';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly raw?: string;
}

export interface Signed {
  readonly cookie: string;
  readonly csrf: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DashboardWorld {
  readonly api: RunningApi;
  readonly routes: MountedRoute[];
  /** As sent: paths are not normalised. */
  call(method: string, path: string, sent?: Sent): Promise<Reply>;
  signIn(key: string): Promise<Signed>;
  close(): Promise<void>;
}

/** The real API, socket and database with the dashboard's own routes. */
export async function dashboardWorld(
  options: object = {},
  local = true,
  testAccounts?: TestAccounts,
  /** Of another process of the same service; absent: a database of its own. */
  shared?: Pick<ApiDeps, 'store'>,
): Promise<DashboardWorld> {
  const registry = new RouteRegistry();
  const starts: (() => Promise<void>)[] = [];
  const routes: MountedRoute[] = [];
  const api = await runningApi({ ...shared, pluginRoutes: () => [...routes, ...registry.all()] });
  const clock = {
    now: () => Date.now() + api.clock.offset,
    monotonic: () => performance.now() + api.clock.offset,
  };
  const context = {
    options: { sessionMs: 3_600_000, triesPerQuarterHour: 10, ...options },
    routes: routesFor(registry, 'dashboard'),
    lifecycle: { onStart: (task: () => Promise<void>) => void starts.push(task), onStop: () => undefined },
    random: systemRandom,
    network: local ? 'local' : 'mainnet',
    clock,
    testAccounts,
  };
  plugin.register(context as unknown as PluginContext<never>);
  for (const start of starts) await start();
  if (shared === undefined) await addIntegrators(api);
  const call = (method: string, path: string, sent: Sent = {}) => exchange(api.url, method, path, sent);
  return {
    api,
    routes,
    call,
    signIn: async (key) => {
      const { status, headers, body } = await call('POST', '/dashboard/session', { json: { key } });
      if (status !== 200) throw new Error(`sign-in answered ${status}`);
      const cookie = (headers['set-cookie'] ?? '').split(';')[0] ?? '';
      return { cookie, csrf: body.csrf, headers: { cookie, 'x-causeway-csrf': body.csrf } };
    },
    close: () => api.close(),
  };
}

async function addIntegrators(api: RunningApi): Promise<void> {
  for (const id of ['integrator-1', 'integrator-2']) {
    const row = { id, version: 1, name: id, fundingAddress: null, createdAt: 1 };
    await api.store.apply({ name: 'test.integrator', changes: [{ op: 'insert', table: 'integrators', row }] });
  }
  await addKey(api, 'key-2', 'integrator-2', OTHER_KEY);
}

export async function addKey(api: RunningApi, id: string, integratorId: string, key: string): Promise<void> {
  const row = {
    ...{ id, version: 1, name: `name of ${id}`, prefix: key.slice(0, 6), integratorId, scopes: '["*"]' },
    ...{ hash: createHash('sha256').update(key).digest('hex'), tier: 'default' as const, privateChains: '[]' },
    ...{ createdAt: Date.now(), expiresAt: null, replacedBy: null, revokedAt: null },
  };
  await api.store.apply({ name: 'test.key', changes: [{ op: 'insert', table: 'apiKeys', row }] });
}

function exchange(url: string, method: string, path: string, { headers = {}, json, raw }: Sent): Promise<Reply> {
  const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
  const { hostname, port } = new URL(url);
  // Node.js names no length for a DELETE.
  const length = Buffer.byteLength(body ?? '').toString();
  const type = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': length };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { ...type, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const flat = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(flat), text, body: parsed(text) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
