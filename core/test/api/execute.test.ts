import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/api/key-format.js';
import type { TriedCall } from '../../src/contract/raw-calls.js';
import { counter } from '../../src/domain/accounts.js';
import { apiKeyRow } from '../../src/testing/store-fixtures.js';
import { address } from './support/chain-double.js';
import { ask, type RunningApi, runningApi, withKey } from './support/running-api.js';
import { addSponsor, callsDouble, GOOD_TRIAL } from './support/sponsor.js';

let api: RunningApi;
let unlinked: RunningApi;
let tried: TriedCall[];

const DATA = { chainId: 1, to: address('1'), data: '0xAB', value: '0' };

beforeAll(async () => {
  [api, unlinked] = await Promise.all([runningApi(), runningApi()]);
  await addSponsor(api);
  await addSponsor(unlinked, false);
});

beforeEach(() => {
  tried = [];
  const simulate = async (call: TriedCall) => {
    tried.push(call);
    return GOOD_TRIAL;
  };
  for (const one of [api, unlinked]) Object.assign(one.a.state, { rawCalls: { ...callsDouble(), simulate } });
});

afterAll(() => Promise.all([api.close(), unlinked.close()]));

const execute = (change: object, on = api) =>
  on.call('POST', '/execute', { body: { executionKind: 'rawCalls', data: { ...DATA, ...change } }, ...withKey });
const free = () => api.store.pot(counter.available('integrator-1'));

it('tries the call as it is then owed, and reserves its whole possible fee', async () => {
  const before = await free();
  const { status, body } = await execute({});
  expect(status).toBe(200);
  expect(tried).toEqual([{ to: address('1'), data: '0xab', authorizations: [] }]);
  // 5 * 10^13 wei at 2,000 dollars a coin.
  expect(before - (await free())).toBe(100_000n);
  const [leg] = await api.store.legsOfRequests([body.requestId]);
  expect(leg).toMatchObject({ kind: 'call', state: 'owed', recipient: address('1'), work: 50_000n, amount: 0n });
});

it('tries it with the gas that it is to have beyond that, as a number or a text', async () => {
  for (const originGasOverhead of [80_000, '80000']) {
    const body = { executionKind: 'rawCalls', data: DATA, originGasOverhead };
    expect(await api.call('POST', '/execute', { body, ...withKey })).toMatchObject({ status: 200 });
  }
  expect(tried.map(({ overhead }) => overhead)).toEqual([80_000n, 80_000n]);
  for (const originGasOverhead of ['8x', -1]) {
    const body = { executionKind: 'rawCalls', data: DATA, originGasOverhead };
    expect(await api.call('POST', '/execute', { body, ...withKey })).toMatchObject({ status: 400 });
  }
});

it.each([
  ['carries coin', { value: '1' }, 'data.value'],
  ['its adapter never makes', { data: '0xdead01' }, 'data.data'],
])('tries no call that %s', async (_, change, field) => {
  const before = await free();
  expect(await execute(change)).toMatchObject({ status: 400, body: { errorData: { field } } });
  expect(tried).toEqual([]);
  expect(await free()).toBe(before);
});

it('tries nothing for an integrator without a linked funding address', async () => {
  expect(await execute({}, unlinked)).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } });
  expect(tried).toEqual([]);
});

describe('with the id of a quote', () => {
  const quote = async (options: object = withKey) => {
    const { body } = await api.call('POST', '/quote/v2', { body: ask(), ...options });
    return { requestId: body.steps[0].requestId as string, orderId: body.protocol.v2.orderId as string };
  };
  const run = (requestId: string, data: string, more: object = {}) =>
    api.call('POST', '/execute', {
      body: { executionKind: 'rawCalls', data: { ...DATA, data }, requestId, ...more },
      ...withKey,
    });

  it('makes the deposit of a quote, whose status it then has', async () => {
    for (const options of [withKey, {}]) {
      const { requestId, orderId } = await quote(options);
      expect(await run(requestId, orderId)).toMatchObject({ status: 200, body: { requestId } });
      const status = await api.call('GET', `/intents/status/v3?requestId=${requestId}`);
      expect(status.body).toMatchObject({ status: 'depositing', inTxHashes: [], txHashes: [] });
      const { requests } = (await api.call('GET', `/requests/v3?id=${requestId}`, withKey)).body;
      expect(requests).toMatchObject([{ requestType: 'Bridge', features: ['gasless_execution'] }]);
      const [leg] = await api.store.legsOfRequests([requestId as `0x${string}`]);
      expect(leg).toMatchObject({ kind: 'originCall', state: 'owed', amount: 0n });
      expect(await run(requestId, orderId)).toMatchObject({
        status: 400,
        body: { errorData: { field: 'requestId', reason: 'is of a quote that is executed already' } },
      });
    }
  });

  it('makes it where the fees of the quote are not sponsored, as its executor says', async () => {
    const { requestId, orderId } = await quote({});
    const options = { executionOptions: { subsidizeFees: false } };
    expect(await run(requestId, orderId, options)).toMatchObject({ status: 200, body: { requestId } });
  });

  it.each(['a', 'b'] as const)('sends nothing in while chain %s of the quote is not read', async (end) => {
    const { requestId, orderId } = await quote();
    api[end].state.healthy = false;
    expect(await run(requestId, orderId)).toMatchObject({
      status: 503,
      body: { errorCode: 'SERVICE_UNAVAILABLE', retriable: true, errorData: { chainId: api[end].adapter.facts.id } },
    });
    api[end].state.healthy = true;
    expect(tried).toEqual([]);
    expect(await api.store.request(requestId as `0x${string}`)).toBeUndefined();
    expect(await run(requestId, orderId)).toMatchObject({ status: 200 });
  });

  it('does not know the quote of another integrator', async () => {
    const key = apiKeyRow(7, { id: 'key-other', hash: hashKey('key-of-another'), integratorId: 'integrator-2' });
    await api.store.apply({ name: 'test.key', changes: [{ op: 'insert', table: 'apiKeys', row: key }] });
    const { requestId, orderId } = await quote({ headers: { 'x-api-key': 'key-of-another' } });
    expect(await run(requestId, orderId)).toMatchObject({
      status: 400,
      body: { errorData: { field: 'requestId', reason: expect.stringContaining('no quote of this integrator') } },
    });
    expect(tried).toEqual([]);
  });

  it('makes nothing that is not as quoted', async () => {
    const { requestId, orderId } = await quote();
    const calls = [{ to: address('3'), value: '0', data: '0x' }];
    const wrong = (field: string) => ({ status: 400, body: { errorCode: 'INVALID_REQUEST', errorData: { field } } });
    expect(await run(requestId, '0xab')).toMatchObject(wrong('data.data'));
    expect(await run(`0x${'77'.repeat(32)}`, orderId)).toMatchObject(wrong('requestId'));
    const destinationChainExecutionData = { calls };
    const options = { executionOptions: { destinationChainExecutionData } };
    const field = 'executionOptions.destinationChainExecutionData';
    expect(await run(requestId, orderId, options)).toMatchObject(wrong(`${field}.calls`));
    expect(
      await api.call('POST', '/execute', { body: { executionKind: 'rawCalls', data: DATA, ...options }, ...withKey }),
    ).toMatchObject(wrong(field));
    api.clock.offset = 31_000;
    expect(await run(requestId, orderId)).toMatchObject(wrong('requestId'));
    api.clock.offset = 0;
    expect(await api.store.request(requestId as `0x${string}`)).toBeUndefined();
    const empty = { executionOptions: { destinationChainExecutionData: { calls: [], authorizationList: [] } } };
    expect(await run(requestId, orderId, empty)).toMatchObject({ status: 200 });
  });
});

async function limitTo(on: RunningApi, policy: object): Promise<void> {
  const row = { id: 'key-1', version: 1, policy: JSON.stringify(policy), updatedAt: 1 };
  const outcome = await on.store.apply({
    name: 'test.policy',
    changes: [{ op: 'insert', table: 'sponsorPolicies', row }],
  });
  expect(outcome.ok).toBe(true);
}

it('does what the policy of the key allows, and names the rule that refuses', async () => {
  await limitTo(api, { targets: [{ chainId: 1, address: address('2') }] });
  expect(await execute({})).toMatchObject({ status: 403, body: { errorData: { rule: 'targets' } } });
  expect(tried).toEqual([]);
  expect(await execute({ to: address('2') })).toMatchObject({ status: 200 });
});

describe('of an integrator with a dollar, where each call may cost ten cents', () => {
  let own: RunningApi;
  const MANY = 1_000;
  beforeEach(async () => {
    own = await runningApi();
    await addSponsor(own);
    Object.assign(own.a.state, { rawCalls: callsDouble() });
  });
  afterEach(() => own.close());
  const left = () => own.store.pot(counter.available('integrator-1'));
  const parallel = async () => {
    const answers = await Promise.all(Array.from({ length: MANY }, () => execute({}, own)));
    return {
      accepted: answers.filter(({ status }) => status === 200).length,
      refused: new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.error)),
      rules: new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.errorData?.rule)),
    };
  };

  it('a thousand calls at once reserve the balance to the last unit, and no more', async () => {
    expect(await parallel()).toMatchObject({ accepted: 10, refused: new Set(['SPONSOR_BALANCE_TOO_LOW']) });
    expect(await left()).toBe(0n);
  }, 60_000);

  it('a thousand calls at once stay within the limits of the key, and each other one is refused by that rule', async () => {
    await limitTo(own, { maxPerDay: '350000' });
    expect(await parallel()).toEqual({
      ...{ accepted: 3, refused: new Set(['FORBIDDEN']), rules: new Set(['maxPerDay']) },
    });
    expect(await left()).toBe(700_000n);
  }, 60_000);

  it('a call counts for the limit of the user that it acts for, which calls of that account do not use up', async () => {
    await limitTo(own, { maxPerUser: '100000' });
    const userOf = ({ data }: { readonly data: string }) => (data === '0xa0' ? undefined : address(data.slice(-1)));
    Object.assign(own.a.state, { rawCalls: { ...callsDouble(), userOf } });
    const answers: object[] = [];
    for (const change of [{ data: '0xa0', to: address('3') }, { data: '0xa3' }, { data: '0xa3' }, { data: '0xa2' }])
      answers.push(await execute(change, own));
    const full = { status: 403, body: { errorData: { rule: 'maxPerUser' } } };
    expect(answers).toMatchObject([{ status: 200 }, { status: 200 }, full, { status: 200 }]);
  });
});
