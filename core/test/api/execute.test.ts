import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { RawCall } from '../../src/contract/raw-calls.js';
import { counter } from '../../src/domain/accounts.js';
import { address } from './support/chain-double.js';
import { type RunningApi, runningApi, withKey } from './support/running-api.js';
import { addSponsor, callsDouble, GOOD_TRIAL } from './support/sponsor.js';

let api: RunningApi;
let unlinked: RunningApi;
let tried: RawCall[];

const DATA = { chainId: 1, to: address('1'), data: '0xAB', value: '0' };

beforeAll(async () => {
  [api, unlinked] = await Promise.all([runningApi(), runningApi()]);
  await addSponsor(api);
  await addSponsor(unlinked, false);
});

beforeEach(() => {
  tried = [];
  const simulate = async (call: RawCall) => {
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

it('does what the policy of the key allows, and names the rule that refuses', async () => {
  const policy = JSON.stringify({ targets: [{ chainId: 1, address: address('2') }] });
  const row = { id: 'key-1', version: 1, policy, updatedAt: 1 };
  await api.store.apply({ name: 'test.policy', changes: [{ op: 'insert', table: 'sponsorPolicies', row }] });
  expect(await execute({})).toMatchObject({ status: 403, body: { errorData: { rule: 'targets' } } });
  expect(tried).toEqual([]);
  expect(await execute({ to: address('2') })).toMatchObject({ status: 200 });
});
