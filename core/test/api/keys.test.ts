import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createKeyDirectory } from '../../src/api/key-directory.js';
import { hashKey, isMistyped, makeKey } from '../../src/api/key-format.js';
import { createKeyUses } from '../../src/api/key-uses.js';
import { createKeyLookup } from '../../src/api/keys.js';
import type { ChangeSet, Logger } from '../../src/contract/index.js';
import { counter } from '../../src/domain/accounts.js';
import { ApiError } from '../../src/errors/api-error.js';
import { systemRandom } from '../../src/host/system-random.js';
import { apiKeyRow } from '../../src/testing/store-fixtures.js';
import { address } from './support/chain-double.js';
import { ask, POLICY, type RunningApi, runningApi, withAdminKey } from './support/running-api.js';

const DAY_MS = 86_400_000;

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

const admin = (path: string, body?: unknown) =>
  api.call(body === undefined ? 'GET' : 'POST', `/admin/${path}`, {
    ...withAdminKey,
    ...(body === undefined ? {} : { body }),
  });
const listing = async (key: string) =>
  (await api.call('GET', '/requests/v3', { headers: { 'x-api-key': key } })).status;

async function integrator(name = 'app'): Promise<string> {
  return (await admin('integrators', { name })).body.integrator.id;
}

async function made(ask: object = {}): Promise<{ id: string; secret: string }> {
  const { body } = await admin('keys', { integratorId: await integrator(), ...ask });
  return { id: body.key.id, secret: body.secret };
}

describe('the format of a key', () => {
  it('names network and key, and hides the secret behind its hash', () => {
    const key = makeKey(systemRandom, 'mainnet');
    expect(key.secret).toMatch(/^cw_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
    expect(key.secret.startsWith(`${key.prefix}_`)).toBe(true);
    expect(key.id).toBe(`key_${key.prefix.split('_')[2]}`);
    expect(key.hash).toBe(hashKey(key.secret));
    expect(makeKey(systemRandom, 'testnet').secret).toMatch(/^cw_test_/);
    expect(makeKey(systemRandom, 'local').secret).toMatch(/^cw_local_/);
  });

  it('is the same wherever it is computed', () => {
    const zeros = { bytes: (length: number) => new Uint8Array(length) };
    const body = `cw_live_${'0'.repeat(12)}_${'0'.repeat(32)}`;
    expect(makeKey(zeros, 'mainnet').secret).toBe(`${body}4KmkQV`);
    expect(isMistyped(`${body}4KmkQV`)).toBe(false);
    expect(isMistyped(`${body}4KmkQa`)).toBe(true);
  });

  it('draws every digit equally often', () => {
    const counts = new Map<string, number>();
    for (let n = 0; n < 1_000; n += 1) {
      for (const digit of makeKey(systemRandom, 'mainnet').secret.slice(21, 53)) {
        counts.set(digit, (counts.get(digit) ?? 0) + 1);
      }
    }
    expect(counts.size).toBe(62);
    // 32,000 draws: 516 each; a bias of one in 256 modulo 62 would give the first eight a quarter more.
    for (const [digit, count] of counts) expect(Math.abs(count - 516), digit).toBeLessThan(115);
  });

  it('detects every single slip of a finger, and a lost or doubled character', () => {
    const { secret } = makeKey(systemRandom, 'mainnet');
    expect(isMistyped(secret)).toBe(false);
    for (let at = 8; at < secret.length; at += 1) {
      const slip = secret[at] === 'x' ? 'y' : 'x';
      expect(isMistyped(secret.slice(0, at) + slip + secret.slice(at + 1)), `slip at ${at}`).toBe(true);
      expect(isMistyped(secret.slice(0, at) + secret.slice(at + 1)), `lost at ${at}`).toBe(true);
    }
    expect(isMistyped(`${secret}0`)).toBe(true);
    expect(isMistyped('any-other-text'), 'keys of a config have their own form').toBe(false);
  });
});

describe('looking a key up', () => {
  const clock = {
    now: () => 1_000 + clock.at,
    monotonic: () => clock.at,
    at: 0,
    sleep: async () => {},
    every: () => () => {},
  };
  const { secret, hash } = makeKey(systemRandom, 'mainnet');
  let asked = 0;
  let row: ReturnType<typeof apiKeyRow> | undefined = apiKeyRow(1, { hash });
  const lookup = () => {
    asked = 0;
    clock.at = 0;
    row = apiKeyRow(1, { hash });
    const apiKeyByHash = async () => {
      asked += 1;
      return row;
    };
    return createKeyLookup({ apiKeyByHash }, clock);
  };

  it('asks the database at most once in 10 s, and never for a typo', async () => {
    const look = lookup();
    expect(await look(`${secret.slice(0, -1)}!`)).toBeNull();
    expect(asked).toBe(0);
    await look(secret);
    clock.at = 9_999;
    expect(await look(secret)).toMatchObject({ id: 'key-1' });
    expect(asked).toBe(1);
  });

  it('knows within 10 s that a key was revoked', async () => {
    const look = lookup();
    await look(secret);
    row = apiKeyRow(1, { hash, revokedAt: 5 });
    clock.at = 10_000;
    expect(await look(secret)).toBeNull();
  });

  it('knows to the millisecond that a key has expired, however fresh it is', async () => {
    const look = lookup();
    row = apiKeyRow(1, { hash, expiresAt: 1_500 });
    clock.at = 499;
    expect(await look(secret)).not.toBeNull();
    clock.at = 500;
    expect(await look(secret)).toBeNull();
    expect(asked).toBe(1);
  });
});

describe('the last use of a key', () => {
  const noise = { warn: () => undefined } as unknown as Logger;

  it('is noted without a wait, written once a minute by each process, and the later one counts', async () => {
    let now = 5_000;
    const ticks: (() => void)[] = [];
    const writes: string[] = [];
    const { store } = api;
    const counting = {
      meta: (key: string) => store.meta(key),
      apply: (set: ChangeSet) => {
        writes.push(set.name);
        return store.apply(set);
      },
    };
    const every = (_: number, task: () => void) => {
      ticks.push(task);
      return () => undefined;
    };
    const clock = { now: () => now, every };
    const [one, two] = [
      createKeyUses({ store: counting, clock, log: noise }),
      createKeyUses({ store, clock, log: noise }),
    ];
    for (let n = 0; n < 50; n += 1) one.note('used');
    expect([writes, (await one.read()).get('used'), (await two.read()).get('used')]).toEqual([[], 5_000, undefined]);
    now = 9_000;
    two.note('used');
    await Promise.all([one.close(), two.close()]);
    expect((await createKeyUses({ store, clock, log: noise }).read()).get('used')).toBe(9_000);
    const before = writes.length;
    ticks[0]?.();
    await one.close();
    expect(writes.length, 'nothing was used since').toBe(before);
  });

  it('is shown with the key, by whichever way the key came', async () => {
    const { id, secret } = await made();
    const last = async () =>
      (await admin('keys')).body.keys.find((key: { id: string }) => key.id === id).lastUsedAt as number | null;
    expect(await last()).toBeNull();
    await listing(secret);
    expect(Date.now() - ((await last()) ?? 0)).toBeLessThan(10_000);
  });
});

describe('own keys', () => {
  const as = (secret: string, path: string, body?: unknown) =>
    api.call(body === undefined ? 'GET' : 'POST', `/keys${path}`, {
      headers: { 'x-api-key': secret },
      ...(body === undefined ? {} : { body }),
    });
  const pair = async (second: object = {}) => {
    const integratorId = await integrator();
    const [own, other] = [
      (await admin('keys', { integratorId, name: 'own' })).body,
      (await admin('keys', { integratorId, name: 'other', ...second })).body,
    ];
    return { own, other };
  };

  it('are listed, rotated with both valid for a time, and revoked', async () => {
    const { own, other } = await pair();
    const { keys } = (await as(own.secret, '')).body;
    expect(keys.map(({ name }: { name: string }) => name)).toEqual(['own', 'other']);
    const { body } = await as(own.secret, '/rotate', { keyId: own.key.id, overlapSeconds: 60 });
    expect(body.replaced).toMatchObject({ id: own.key.id, replacedBy: body.key.id, state: 'active' });
    expect([await listing(own.secret), await listing(body.secret)]).toEqual([200, 200]);
    api.clock.offset = 61_000;
    expect([await listing(own.secret), await listing(body.secret)]).toEqual([401, 200]);
    const revoked = await as(body.secret, '/revoke', { keyId: other.key.id });
    expect(revoked.body).toMatchObject({ key: { state: 'revoked' }, alreadyDone: false });
    api.clock.offset += 10_001;
    expect(await listing(other.secret)).toBe(401);
  });

  it('are of no other integrator, and give no right that the key of the call lacks', async () => {
    const [{ own }, stranger] = [await pair(), await made()];
    for (const path of ['/rotate', '/revoke'])
      expect(await as(own.secret, path, { keyId: stranger.id }), path).toMatchObject({ status: 404 });
    const { own: plain, other: elevated } = await pair({ tier: 'elevated' });
    const { own: full, other: narrow } = await pair({ scopes: ['quote'] });
    for (const path of ['/rotate', '/revoke'])
      expect(await as(plain.secret, path, { keyId: elevated.key.id }), path).toMatchObject({ status: 403 });
    expect((await as(narrow.secret, '')).status).toBe(403);
    expect((await as(narrow.secret, '/rotate', { keyId: full.key.id })).status).toBe(403);
    const { body } = await as(full.secret, '/rotate', { keyId: narrow.key.id });
    expect(body.key.scopes).toEqual(['quote']);
    expect((await api.call('GET', '/keys')).status).toBe(401);
  });
});

describe('own keys that are rotated by their integrator', () => {
  const as = (of: RunningApi, secret: string, path: string, body: unknown) =>
    of.call('POST', path, { headers: { 'x-api-key': secret }, body });
  interface Made {
    readonly key: { readonly id: string; readonly createdAt: number; readonly expiresAt: number | null };
    readonly secret: string;
  }
  const newKey = async (of: RunningApi, ask: object = {}): Promise<Made> => {
    const { body } = await of.call('POST', '/admin/integrators', { ...withAdminKey, body: { name: 'app' } });
    const asked = { integratorId: body.integrator.id, ...ask };
    return (await of.call('POST', '/admin/keys', { ...withAdminKey, body: asked })).body;
  };

  it('get no second share of what is limited per key', async () => {
    const fixedRate = { ...(POLICY.fixedRate as NonNullable<typeof POLICY.fixedRate>) };
    const policy = { ...POLICY, fixedRate: { ...fixedRate, maxHeldMicroUsdPerKey: 100_000_000n } };
    const of = await runningApi({ policy });
    try {
      const old: Made = await newKey(of);
      let given = 0;
      let last = old;
      for (let n = 0; n < 5; n += 1) {
        const quoted = await as(of, last.secret, '/quote/v2', ask({ fixedRate: '0.99' }));
        if (quoted.status === 200) given += 1;
        const { status, body } = await as(of, last.secret, '/keys/rotate', { keyId: last.key.id });
        if (status === 200) last = body;
      }
      expect(given, 'the key and the one that replaced it').toBeLessThanOrEqual(2);
    } finally {
      await of.close();
    }
  });

  it('are rotated again once the replaced key has ended and the new one is ten minutes old', async () => {
    const first = await newKey(api);
    const rotate = (by: Made, overlapSeconds: number) =>
      as(api, by.secret, '/keys/rotate', { keyId: by.key.id, overlapSeconds });
    const second: Made = (await rotate(first, 3_600)).body;
    api.clock.offset = 11 * 60_000;
    const soon = await rotate(second, 0);
    expect(soon).toMatchObject({ status: 409, body: { errorData: { field: 'keyId' } } });
    expect(soon.body.errorData.reason).toContain(`${first.key.id}, which it replaces, is accepted`);
    expect((await as(api, second.secret, '/keys/revoke', { keyId: first.key.id })).status).toBe(200);
    const third: Made = (await rotate(second, 0)).body;
    expect(await rotate(third, 0)).toMatchObject({ status: 409 });
    const { body } = await admin('keys/rotate', { keyId: third.key.id });
    expect(body.replaced.id, 'an operator rotates at any time').toBe(third.key.id);
    api.clock.offset += 11 * 60_000;
    expect((await rotate(body, 0)).status).toBe(409);
    await admin('keys/revoke', { keyId: third.key.id });
    expect((await rotate(body, 0)).status).toBe(200);
  });

  it('live no longer than the key of the call', async () => {
    const day = await newKey(api, { expiresInSeconds: 86_400 });
    api.clock.offset = 86_000_000;
    const { body } = await as(api, day.secret, '/keys/rotate', { keyId: day.key.id });
    expect(body.key.expiresAt).toBe(day.key.expiresAt);
    api.clock.offset += 401_000;
    expect(await listing(body.secret)).toBe(401);
  });
});

describe('an integrator', () => {
  it("has a name and a linked funding address, kept in its chain's own spelling", async () => {
    const upper = `0x${'AB'.repeat(20)}`;
    const { body } = await admin('integrators', { name: 'funded', fundingAddress: upper });
    expect(body.integrator).toMatchObject({ name: 'funded', fundingAddress: upper.toLowerCase() });
    const linked = await admin('integrators/link', { integratorId: body.integrator.id, fundingAddress: null });
    expect(linked.body.integrator.fundingAddress).toBeNull();
    expect((await admin('integrators')).body.integrators).toContainEqual(linked.body.integrator);
  });

  it('has its funding address alone', async () => {
    const fundingAddress = address('7');
    expect((await admin('integrators', { name: 'one', fundingAddress })).status).toBe(200);
    const other = await integrator('other');
    for (const reply of [
      await admin('integrators', { name: 'two', fundingAddress }),
      await admin('integrators/link', { integratorId: other, fundingAddress }),
    ]) {
      expect(reply).toMatchObject({ status: 400, body: { errorData: { field: 'fundingAddress' } } });
    }
  });

  it.each([
    ['integrators', { name: '' }, 400, 'name'],
    ['integrators', { name: 'x', fundingAddress: 'nowhere' }, 400, 'fundingAddress'],
    ['integrators/link', { integratorId: 'int_0', fundingAddress: null }, 404, 'integratorId'],
    ['keys', { integratorId: 'int_0' }, 404, 'integratorId'],
    ['keys', {}, 400, 'integratorId'],
    ['keys', { integratorId: 'x', scopes: ['everything'] }, 400, 'scopes[0]'],
    ['keys', { integratorId: 'x', tier: 'golden' }, 400, 'tier'],
    ['keys', { integratorId: 'x', privateChains: ['unknown'] }, 400, 'privateChains'],
    ['keys', { integratorId: 'x', expiresInSeconds: 0 }, 400, 'expiresInSeconds'],
    ['keys/rotate', { keyId: 'key_0' }, 404, 'keyId'],
    ['keys/rotate', { keyId: 'key_0', overlapSeconds: -1 }, 400, 'overlapSeconds'],
    ['keys/revoke', { keyId: 'key_0' }, 404, 'keyId'],
    ['keys/grant', { keyId: 'key_0' }, 404, 'keyId'],
  ])('%s %j is refused with %i, naming %s', async (path, body, status, field) => {
    expect(await admin(path, body)).toMatchObject({ status, body: { errorData: { field }, statusCode: status } });
  });
});

describe('a key', () => {
  it('is shown once, works at once, and no one can read it or its hash afterwards', async () => {
    const integratorId = await integrator('shown once');
    const reply = await admin('keys', { integratorId, name: 'laptop' });
    const { key, secret } = reply.body;
    expect(key).toMatchObject({ name: 'laptop', integratorId, state: 'active', scopes: ['*'], tier: 'default' });
    expect(await listing(secret)).toBe(200);
    const listed = await admin(`keys?integratorId=${integratorId}`);
    expect(listed.body).toEqual({ keys: [{ ...key, lastUsedAt: expect.any(Number) }] });
    const seen = JSON.stringify([(await admin('keys')).body, api.logs]);
    expect(seen).not.toContain(secret);
    expect(seen).not.toContain(hashKey(secret));
    expect(JSON.stringify(await api.store.apiKeys()), 'at rest').not.toContain(secret);
  });

  it('is one of several of its integrator', async () => {
    const integratorId = await integrator('several');
    for (const name of ['a', 'b']) await admin('keys', { integratorId, name });
    const names = (await admin(`keys?integratorId=${integratorId}`)).body.keys.map((key: { name: string }) => key.name);
    expect(names).toEqual(['a', 'b']);
  });

  it('expires', async () => {
    const { id, secret } = await made({ expiresInSeconds: 60 });
    expect(await listing(secret)).toBe(200);
    api.clock.offset = 61_000;
    expect(await listing(secret)).toBe(401);
    const { keys } = (await admin('keys')).body;
    expect(keys.find((key: { id: string }) => key.id === id).state).toBe('expired');
  });

  it('is rotated with a time in which both are accepted', async () => {
    const old = await made({ name: 'server', tier: 'elevated', scopes: ['requests'] });
    const { body } = await admin('keys/rotate', { keyId: old.id, overlapSeconds: 60 });
    expect(body.key).toMatchObject({ name: 'server', tier: 'elevated', scopes: ['requests'], state: 'active' });
    expect(body.replaced).toMatchObject({ id: old.id, replacedBy: body.key.id, state: 'active' });
    expect([await listing(old.secret), await listing(body.secret)]).toEqual([200, 200]);
    api.clock.offset = 61_000;
    expect([await listing(old.secret), await listing(body.secret)]).toEqual([401, 200]);
  });

  it('is rotated once, keeps the length of its life, and never lives longer for it', async () => {
    const old = await made({ expiresInSeconds: 3_600 });
    const before = (await api.store.apiKey(old.id))?.expiresAt ?? 0;
    const { body } = await admin('keys/rotate', { keyId: old.id });
    expect(body.replaced.expiresAt, 'the default overlap is longer').toBe(before);
    expect(body.key.expiresAt - body.key.createdAt).toBe(3_600_000);
    expect(await admin('keys/rotate', { keyId: old.id })).toMatchObject({
      status: 409,
      body: { errorData: { reason: `the key was rotated to ${body.key.id}` } },
    });
    const plain = await made();
    const { replaced } = (await admin('keys/rotate', { keyId: plain.id })).body;
    expect(Math.round((replaced.expiresAt - Date.now()) / DAY_MS)).toBe(1);
  });

  it('sponsors no more for being rotated: the new one has its policy, and what was used of it', async () => {
    const old = await made();
    const as = (secret: string, path: string, body?: unknown) =>
      api.call(body === undefined ? 'GET' : 'POST', path, {
        headers: { 'x-api-key': secret },
        ...(body === undefined ? {} : { body }),
      });
    const target = { chainId: 1, address: address('7') };
    const policy = { maxPerCall: '100', maxPerDay: '1000', maxPerMonth: '9000', targets: [target] };
    expect((await as(old.secret, '/app-balance/policy', { policy })).status).toBe(200);
    const day = new Date(Date.now()).toISOString().slice(0, 10);
    const use = (when: string, by: bigint) => ({ op: 'count', account: counter.sponsored(old.id, when), by }) as const;
    await api.store.apply({ name: 'test', changes: [use(day, 900n), use(day.slice(0, 7), 8_000n)] });
    for (const rotate of [
      (last: { id: string; secret: string }) => as(last.secret, '/keys/rotate', { keyId: last.id }),
      () => admin('keys/rotate', { keyId: old.id }),
    ]) {
      const { body } = await rotate(old);
      const { keys } = (await as(body.secret, '/app-balance')).body;
      expect(keys.find(({ keyId }: { keyId: string }) => keyId === body.key.id)).toEqual({
        keyId: body.key.id,
        policy,
        used: { day: '900', month: '8000' },
      });
      Object.assign(old, { id: body.key.id, secret: body.secret });
    }
  });

  it('lives as long as it was to, on a machine so busy that time passes between two lines', async () => {
    let now = Date.now();
    const clock = { now: () => (now += 7) };
    const directory = createKeyDirectory({ store: api.store, clock, random: systemRandom, network: 'local' });
    const rights = { scopes: ['*'], tier: 'default', privateChains: [] } as const;
    const first = await directory.create({ integratorId: await integrator(), name: null, rights, lifeMs: 60_000 });
    if (first instanceof ApiError) throw first;
    const second = await directory.rotate(first.row.id, 0);
    if (second instanceof ApiError) throw second;
    for (const { row } of [first, second]) expect((row.expiresAt ?? 0) - row.createdAt).toBe(60_000);
  });

  it('is revoked permanently, and saying it again does no harm', async () => {
    const { id, secret } = await made();
    expect(await listing(secret)).toBe(200);
    expect((await admin('keys/revoke', { keyId: id })).body).toMatchObject({
      alreadyDone: false,
      key: { state: 'revoked' },
    });
    expect((await admin('keys/revoke', { keyId: id })).body).toMatchObject({ alreadyDone: true });
    api.clock.offset = 10_001;
    expect(await listing(secret)).toBe(401);
    for (const path of ['keys/rotate', 'keys/grant']) expect((await admin(path, { keyId: id })).status, path).toBe(409);
  });

  it('does only what its scopes allow', async () => {
    const { id, secret } = await made({ scopes: ['quote'] });
    const refused = await api.call('GET', '/requests/v3', { headers: { 'x-api-key': secret } });
    expect(refused).toMatchObject({ status: 403, body: { errorCode: 'FORBIDDEN' } });
    expect((await api.call('GET', '/chains', { headers: { 'x-api-key': secret } })).status).toBe(200);
    expect((await admin('keys/grant', { keyId: id, scopes: ['quote', 'requests'] })).body.key.scopes).toEqual([
      'quote',
      'requests',
    ]);
    api.clock.offset = 10_001;
    expect(await listing(secret)).toBe(200);
  });

  it('is granted private chains that exist, and loses them', async () => {
    const uuid = '0b0f6f0c-6d2e-4d0a-9f0b-0d9be7a3a111';
    const facts = { ...api.b.adapter.facts, private: uuid };
    const chain = { ...api.b.adapter, facts };
    const hiding = await runningApi({
      chains: new Map([
        [1, api.a.adapter],
        [2, chain],
      ]),
    });
    try {
      const ask = (path: string, body: object) => hiding.call('POST', `/admin/${path}`, { ...withAdminKey, body });
      const { id } = (await ask('integrators', { name: 'x' })).body.integrator;
      const key = (await ask('keys', { integratorId: id })).body.key;
      const granted = await ask('keys/grant', { keyId: key.id, privateChains: [uuid, uuid], tier: 'elevated' });
      expect(granted.body.key).toMatchObject({ privateChains: [uuid], tier: 'elevated', scopes: ['*'] });
      expect((await ask('keys/grant', { keyId: key.id, privateChains: ['other'] })).status).toBe(400);
      expect((await ask('keys/grant', { keyId: key.id, withdraw: [uuid] })).body.key.privateChains).toEqual([]);
    } finally {
      await hiding.close();
    }
  });

  it('is changed by two operators at once, one after the other', async () => {
    const { id } = await made();
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => admin('keys/rotate', { keyId: id, overlapSeconds: 5 })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409, 409, 409]);
  });

  it('is changed by many at once, none of whom is informed that it cannot be', async () => {
    const { id } = await made();
    const scopes = ['quote', 'requests', 'execute', '*'];
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, at) => admin('keys/grant', { keyId: id, scopes: [scopes[at % 4]] })),
    );
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([200]));
  });
});
