import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/config.js';
import { endAll } from '../support/service.js';
import { until } from '../support/until.js';
import { PgWorld } from './support/pg-world.js';

/** A cookie without `Secure`, because the network is local. */
interface Signed {
  readonly cookie: string;
  readonly csrf: string;
}

let world: PgWorld;
const at = (n: number, path: string) => `${world.member(n).rest.baseUrl}${path}`;

async function signIn(n: number, key: string): Promise<Signed> {
  const answer = await post(at(n, '/dashboard/session'), { key });
  const { csrf } = (await answer.json()) as { readonly csrf: string };
  return { cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '', csrf };
}

function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const json = { 'content-type': 'application/json', ...headers };
  return fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
}

async function admin<T>(path: string, body: unknown): Promise<T> {
  return (await (await post(at(0, path), body, { 'x-admin-key': ADMIN_KEY })).json()) as T;
}

const listing = async (n: number, { cookie }: Signed) =>
  (await fetch(at(n, '/dashboard/api/requests/v3'), { headers: { cookie } })).status;

/** Who is signed in at every process, by the status of a list. */
const everywhere = (session: Signed) => Promise.all([0, 1].map((n) => listing(n, session)));

describe('the dashboard of two processes on one PostgreSQL', () => {
  beforeAll(async () => {
    world = await PgWorld.prepare(2, 5_000, { withPlugins: [{ use: '@causeway/plugin-dashboard' }] });
    for (const { boot } of world.members) await boot();
  }, 120_000);
  afterAll(async () => {
    await world?.close();
    await endAll();
  });

  it('accepts a session at both, through a kill, until it is ended or its key is revoked', async () => {
    const { integrator } = await admin<{ integrator: { id: string } }>('/admin/integrators', { name: 'two' });
    const { secret, key } = await admin<{ secret: string; key: { id: string } }>('/admin/keys', {
      integratorId: integrator.id,
    });
    const [first, second] = [await signIn(0, secret), await signIn(1, secret)];
    expect([await everywhere(first), await everywhere(second)]).toEqual([
      [200, 200],
      [200, 200],
    ]);

    await world.member(1).service.kill();
    await world.member(1).boot();
    expect(await everywhere(first)).toEqual([200, 200]);

    const { cookie, csrf } = second;
    const out = await fetch(at(0, '/dashboard/session'), {
      method: 'DELETE',
      headers: { cookie, 'x-causeway-csrf': csrf },
    });
    expect(out.status).toBe(204);
    expect(await everywhere(second)).toEqual([401, 401]);

    await admin('/admin/keys/revoke', { keyId: key.id });
    await until('the session has ended everywhere', async () =>
      (await everywhere(first)).every((status) => status === 401),
    );
  }, 120_000);
});
