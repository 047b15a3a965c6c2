import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reserveChanges, settleChanges } from '../../src/capabilities/sponsorship/app-balance.js';
import { sponsorshipOf } from '../../src/capabilities/sponsorship/policy.js';
import { balanceDepositId } from '../../src/domain/app-balance.js';
import { requestId } from '../../src/testing/store-fixtures.js';
import { address } from './support/chain-double.js';
import { type RunningApi, runningApi, withAdminKey } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
beforeEach(() => {
  api.reset();
  api.a.state.verifies = (by, text, signature) => signature === `${by} signed ${text}`;
});
afterAll(() => api.close());

const admin = (path: string, body?: unknown) =>
  api.call(body === undefined ? 'GET' : 'POST', `/admin/${path}`, {
    ...withAdminKey,
    ...(body === undefined ? {} : { body }),
  });

interface Made {
  readonly id: string;
  readonly keyId: string;
  readonly secret: string;
}

async function integrator(name: string, fundingAddress: string | null = null, scopes = ['*']): Promise<Made> {
  const { id } = (await admin('integrators', { name, fundingAddress })).body.integrator;
  const { key, secret } = (await admin('keys', { integratorId: id, scopes })).body;
  return { id, keyId: key.id, secret };
}

const as = ({ secret }: Made, method: string, path: string, body?: unknown) =>
  api.call(method, path, { headers: { 'x-api-key': secret }, ...(body === undefined ? {} : { body }) });

let serial = 0;
function change(kind: string, { id }: Made, amount: string, name?: string) {
  serial += 1;
  const changeId = name ?? `change-${serial}`;
  return admin(`balances/${kind}`, { integratorId: id, amount, reason: 'because', changeId });
}

/** As a request that is being executed. */
async function reserve({ id }: Made, n: number, amount: bigint): Promise<boolean> {
  const changes = reserveChanges({ integratorId: id, requestId: requestId(n), amount }, 1);
  return (await api.store.apply({ name: 'reserve', changes })).ok;
}

describe('operators', () => {
  it('credit a balance and take from what is not reserved, each change once', async () => {
    const one = await integrator('credited');
    expect((await change('credit', one, '1000', 'first-credit')).body).toMatchObject({
      balance: { integratorId: one.id, balance: '1000', reserved: '0', available: '1000' },
      alreadyDone: false,
    });
    expect((await change('credit', one, '1000', 'first-credit')).body).toMatchObject({
      balance: { balance: '1000' },
      alreadyDone: true,
    });
    expect(await reserve(one, 1, 400n)).toBe(true);
    expect(await change('withdraw', one, '601')).toMatchObject({
      status: 409,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field: 'amount' } },
    });
    expect((await change('withdraw', one, '600')).body.balance).toMatchObject({ balance: '400', available: '0' });
    expect((await change('debit', one, '1')).status).toBe(409);
    expect(await reserve(one, 2, 1n)).toBe(false);
    const { body } = await admin(`balances/details?integratorId=${one.id}`);
    expect(body.events.map(({ context, amount }: never) => [context, amount])).toEqual([
      ['withdrawal', '-600'],
      ['credit', '1000'],
    ]);
    expect((await admin('balances')).body.balances).toContainEqual(body.balance);
  });

  it('learn that an id belongs to another change, rather than that it was made before', async () => {
    const one = await integrator('renamed');
    const made = { integratorId: one.id, amount: '5000000', reason: 'because', changeId: 'one-change' };
    expect((await admin('balances/credit', made)).body).toMatchObject({ alreadyDone: false });
    for (const other of [{ amount: '6000000' }, { transactionHash: '0xab' }])
      expect(await admin('balances/credit', { ...made, ...other })).toMatchObject({
        status: 409,
        body: { message: 'changeId: belongs to another credit: 5 US dollars', errorData: { field: 'changeId' } },
      });
    expect((await admin('balances/debit', { ...made, amount: '1000000' })).body).toMatchObject({ alreadyDone: false });
    expect((await admin('balances/credit', { ...made, reason: 'again' })).body).toMatchObject({
      balance: { balance: '4000000' },
      alreadyDone: true,
    });
  });

  it.each([
    ['credit', { amount: '0' }, 400, 'amount'],
    ['credit', { amount: '-5' }, 400, 'amount'],
    ['credit', { amount: '1.5' }, 400, 'amount'],
    ['debit', { reason: '' }, 400, 'reason'],
    ['withdraw', { changeId: 'x' }, 400, 'changeId'],
    ['withdraw', { integratorId: 'nobody' }, 404, 'integratorId'],
  ])('get what is wrong with a %s of %j', async (kind, wrong, status, field) => {
    const good = { integratorId: 'nobody', amount: '5', reason: 'because', changeId: 'change-wrong' };
    expect(await admin(`balances/${kind}`, { ...good, ...wrong })).toMatchObject({
      status,
      body: { errorData: { field } },
    });
  });

  it('alone see balances', async () => {
    expect((await api.call('GET', '/admin/balances', {})).status).toBe(401);
  });
});

describe('the owner of a key', () => {
  it('sees the balance, and how to top it up', async () => {
    const one = await integrator('owner');
    await change('credit', one, '500');
    const { status, body } = await as(one, 'GET', '/app-balance');
    expect([status, body]).toMatchObject([
      200,
      {
        integratorId: one.id,
        ...{ balance: '500', reserved: '0', available: '500', isLow: false, fundingAddress: null },
        deposits: { orderId: balanceDepositId(one.id), currencies: [] },
        keys: [{ keyId: one.keyId, policy: null, used: { day: '0', month: '0' } }],
      },
    ]);
    expect((await api.call('GET', '/app-balance', {})).status).toBe(401);
    const narrow = await integrator('narrow', null, ['execute']);
    expect((await as(narrow, 'GET', '/app-balance')).status).toBe(403);
    expect((await as(narrow, 'POST', '/app-balance/policy', { policy: null })).status).toBe(403);
  });

  const WALLET = address('4');
  const text = async (one: Made, fundingAddress = WALLET) =>
    (await as(one, 'POST', '/app-balance/link', { fundingAddress })).body;
  const sign = (one: Made, { message, time }: { message: string; time: string }, by = WALLET) =>
    as(one, 'POST', '/app-balance/link', { fundingAddress: by, time, signature: `${by} signed ${message}` });

  it('links an address by its signature, once', async () => {
    const [one, two] = [await integrator('links'), await integrator('rival')];
    const asked = await text(one);
    expect(asked.message).toContain(`Integrator: ${one.id}`);
    expect((await sign(two, asked)).status).toBe(403);
    // The text of another service has the same lines, with another `Service` or none.
    for (const service of [/^Service: .*$/m, /^Service: .*\n/m].map(
      (line, n) => [line, n === 0 ? 'Service: 0xother' : ''] as const,
    )) {
      const message = asked.message.replace(...service);
      expect(message).not.toBe(asked.message);
      expect((await sign(one, { ...asked, message })).status).toBe(403);
    }
    expect(await sign(one, asked)).toMatchObject({ status: 200, body: { fundingAddress: WALLET } });
    expect((await as(one, 'GET', '/app-balance')).body.fundingAddress).toBe(WALLET);
    // An operator unlinks it: what was signed links nothing more.
    await admin('integrators/link', { integratorId: one.id, fundingAddress: null });
    expect((await sign(one, asked)).status).toBe(403);
    expect((await sign(one, await text(one))).status).toBe(200);
    expect(await sign(two, await text(two))).toMatchObject({
      status: 400,
      body: { errorData: { field: 'fundingAddress', reason: 'is linked to another integrator' } },
    });
  });

  it('links nothing by a text of another time, another signer or no address', async () => {
    const one = await integrator('late');
    const asked = await text(one, address('5'));
    for (const ms of [601_000, -61_000]) {
      const time = new Date(Date.parse(asked.time) - ms).toISOString();
      const message = asked.message.replace(asked.time, time);
      expect(await sign(one, { message, time }, address('5'))).toMatchObject({
        status: 403,
        body: { errorData: { field: 'time' } },
      });
    }
    const reply = await as(one, 'POST', '/app-balance/link', {
      ...{ fundingAddress: address('5'), time: asked.time, signature: `${address('6')} signed ${asked.message}` },
    });
    expect(reply).toMatchObject({ status: 403, body: { errorData: { field: 'signature' } } });
    expect((await as(one, 'POST', '/app-balance/link', { fundingAddress: 'nowhere' })).status).toBe(400);
    const timeless = { fundingAddress: address('5'), signature: 'x' };
    expect((await as(one, 'POST', '/app-balance/link', timeless)).body.errorData.field).toBe('time');
  });

  it('limits what a key sponsors, and sees what it used', async () => {
    const [one, other] = [await integrator('limits'), await integrator('stranger')];
    await change('credit', one, '1000');
    const policy = { maxPerCall: '100', maxPerDay: '150', targets: [{ chainId: 1, address: address('7') }] };
    expect((await as(one, 'POST', '/app-balance/policy', { policy })).body).toMatchObject({ keyId: one.keyId, policy });
    const ask = (n: number, amount: bigint, to = address('7')) =>
      sponsorshipOf(
        api.store,
        {
          key: { id: one.keyId, integratorId: one.id },
          ...{ requestId: requestId(n), user: 'u', amount, calls: [{ chainId: 1, to, data: '0x' }] },
        },
        Date.now(),
      );
    expect(await ask(11, 101n)).toMatchObject({ ok: false, rule: 'maxPerCall' });
    expect(await ask(11, 100n, address('8'))).toMatchObject({ ok: false, rule: 'targets' });
    const first = await ask(11, 100n);
    const raced = await ask(12, 100n);
    if (!first.ok || !raced.ok) throw new Error('both are within the limits so far');
    const apply = async (changes: ReturnType<typeof reserveChanges>) =>
      (await api.store.apply({ name: 'x', changes })).ok;
    expect(await apply(reserveChanges(first.sponsored, 1))).toBe(true);
    expect(await apply(reserveChanges(raced.sponsored, 1))).toBe(false);
    expect(await ask(12, 51n)).toMatchObject({ ok: false, rule: 'maxPerDay' });
    expect(await apply(settleChanges(first.sponsored, 30n, 2))).toBe(true);
    expect(await ask(12, 100n)).toMatchObject({ ok: true });
    expect((await as(one, 'GET', '/app-balance')).body.keys).toMatchObject([{ used: { day: '30', month: '30' } }]);
    const misspelt = await as(one, 'POST', '/app-balance/policy', { policy: { maxperday: '1', '%00': '\udbff' } });
    expect(misspelt).toMatchObject({ status: 400, body: { errorData: { field: 'policy.maxperday' } } });
    const theirs = { keyId: one.keyId, policy: null };
    expect((await as(other, 'POST', '/app-balance/policy', theirs)).status).toBe(404);
    const wrong = { policy: { targets: [{ chainId: 99, address: address('7') }] } };
    expect((await as(one, 'POST', '/app-balance/policy', wrong)).status).toBe(400);
    expect((await as(one, 'POST', '/app-balance/policy', { policy: null })).body.policy).toEqual({});
    expect(await ask(13, 900n, address('8'))).toMatchObject({ ok: true });
  });
});

describe('the history of a balance', () => {
  it('is for keys of the integrator that the wallet funds, page by page', async () => {
    const wallet = address('b');
    const [one, other] = [await integrator('history', wallet), await integrator('curious', address('c'))];
    for (const amount of ['1', '2', '3']) await change('credit', one, amount);
    const path = `/balance-events/${wallet}`;
    const list = async (query: string) => (await api.call('GET', `${path}?id=${one.secret}&${query}`, {})).body;
    const first = await list('limit=2');
    expect(first).toMatchObject({ wallet, balances: [{ currency: 'USD', balance: '6', reserved: '0' }] });
    expect(first.events).toHaveLength(2);
    const second = await list(`limit=2&cursor=${first.continuation}`);
    expect(second.continuation).toBeUndefined();
    expect((await list(`limit=2&continuation=${first.continuation}`)).events).toEqual(second.events);
    const amounts = [...first.events, ...second.events].map(({ amount }) => amount);
    expect(amounts.sort()).toEqual(['1', '2', '3']);
    expect((await list('context=deposit')).events).toEqual([]);
    expect((await as(one, 'GET', path)).status).toBe(200);
    expect((await api.call('GET', path, {})).status).toBe(401);
    expect((await api.call('GET', `${path}?id=wrong`, {})).status).toBe(401);
    expect((await as(other, 'GET', path)).status).toBe(400);
    const quoting = (await admin('keys', { integratorId: one.id, scopes: ['quote'] })).body;
    expect((await api.call('GET', `${path}?id=${quoting.secret}`, {})).status).toBe(403);
    for (const field of ['cursor', 'continuation'])
      expect(await as(one, 'GET', `${path}?${field}=nonsense`)).toMatchObject({
        status: 400,
        body: { errorData: { field } },
      });
  });
});
