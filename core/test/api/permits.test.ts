import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PermitOffer, Permits, PermitTrial } from '../../src/contract/permits.js';
import { legId } from '../../src/domain/accounts.js';
import { address, NATIVE, OTHER_TOKEN } from './support/chain-double.js';
import { ask, type RunningApi, runningApi, withKey } from './support/running-api.js';
import { addSponsor, callsDouble } from './support/sponsor.js';

let api: RunningApi;
let trial: PermitTrial;
let judged: number;

const ENTRY = address('9');
const GOOD: PermitTrial = { is: 'done', call: { to: ENTRY, data: '0xab' } };
const WORK = 240_000n;
const COST = 10n ** 14n;

const OFFER: PermitOffer = {
  ...{ is: 'offered', kind: 'signed', api: 'swap', approvals: [], terms: 'terms' },
  sign: { domain: { name: 'T' }, types: { Permit: [] }, primaryType: 'Permit', value: {} },
};

const PERMITS: Permits = {
  cost: () => ({ native: COST, work: WORK, at: 1 }),
  offer: async () => OFFER,
  judge: async () => {
    judged += 1;
    return trial;
  },
};

beforeAll(async () => {
  api = await runningApi();
  await addSponsor(api);
});
beforeEach(() => {
  [trial, judged] = [GOOD, 0];
  Object.assign(api.a.state, { rawCalls: callsDouble(), permits: PERMITS });
});
afterEach(() => api.reset());
afterAll(() => api.close());

type Body = Awaited<ReturnType<RunningApi['call']>>['body'];

let payers = 0;

async function quoted(change: object = {}): Promise<{ readonly requestId: string; readonly body: Body }> {
  payers += 1;
  const user = `0x${payers.toString(16).padStart(40, '7')}`;
  const { status, body } = await api.call('POST', '/quote/v2', { body: ask({ user, usePermit: true, ...change }) });
  expect(status, JSON.stringify(body)).toBe(200);
  return { requestId: body.steps.at(-1).requestId, body };
}

const post = (requestId: string, signature = '0x12', change: object = {}) =>
  api.call('POST', `/execute/permits?signature=${signature}`, {
    body: { kind: 'signed', requestId, api: 'swap', ...change },
  });

const legOf = async (requestId: string) => (await api.store.legs([legId.permit(requestId)]))[0];

describe('a quote with a permit', () => {
  it('has a step to sign, charges the deposit, and costs the payer no gas', async () => {
    const { body, requestId } = await quoted();
    const own = await api.call('POST', '/quote/v2', { body: ask({}) });
    expect(body.steps).toMatchObject([{ id: 'authorize1', kind: 'signature', requestId }]);
    expect(body.steps[0].items[0].data.post.body).toEqual({ kind: 'signed', requestId, api: 'swap' });
    expect(body.fees.gas.amount).toBe('0');
    expect(BigInt(body.fees.relayerGas.amount)).toBeGreaterThan(BigInt(own.body.fees.relayerGas.amount));
  });

  it('has a step of another name within one chain, where its fees are sponsored', async () => {
    const change = { usePermit: true, subsidizeFees: true, destinationChainId: 1, destinationCurrency: OTHER_TOKEN };
    const { status, body } = await api.call('POST', '/quote/v2', { body: ask(change), ...withKey });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.steps).toMatchObject([{ id: 'authorize2', kind: 'signature' }]);
  });

  it.each([
    ['without an amount', { maxSubsidizationAmount: '0' }],
    ['without the execution', { sponsoredFeeComponents: ['swap', 'app'] }],
  ])('is refused within one chain where fees are sponsored %s', async (_, change) => {
    const inOneChain = { usePermit: true, destinationChainId: 1, destinationCurrency: OTHER_TOKEN };
    const body = ask({ ...inOneChain, subsidizeFees: true, ...change });
    const answer = await api.call('POST', '/quote/v2', { body, ...withKey });
    expect(answer).toMatchObject({
      status: 400,
      body: { errorCode: 'UNSUPPORTED_EXECUTION_TYPE', errorData: { field: 'usePermit' } },
    });
  });

  it.each([
    ['within one chain', { destinationChainId: 1, destinationCurrency: OTHER_TOKEN }],
    ['to a deposit address', { useDepositAddress: true }],
    ['of too long a life', { permitExpiry: 3_601 }],
  ])('is refused %s', async (_, change) => {
    const { status, body } = await api.call('POST', '/quote/v2', { body: ask({ usePermit: true, ...change }) });
    expect(status).toBe(400);
    expect(['usePermit', 'permitExpiry', 'useDepositAddress']).toContain(body.errorData.field);
  });
});

describe('a sponsored quote with a permit', () => {
  it.each([
    ['EXACT_INPUT', 1n],
    // Two units of the deposit, in wei.
    ['EXACT_OUTPUT', 10n ** 9n],
  ] as const)(
    'of %s is refused where the deposit is worth less than the gas that the service pays to make it',
    async (tradeType, step) => {
      const sponsored = (amount: string) =>
        api.call('POST', '/quote/v2', {
          body: ask({
            ...{ user: address('5'), usePermit: true, subsidizeFees: true, tradeType, amount },
            destinationCurrency: NATIVE,
          }),
          ...withKey,
        });
      const { status, body } = await sponsored('1000');
      expect(status).toBe(400);
      expect(body).toMatchObject({ errorCode: 'AMOUNT_TOO_LOW', errorData: { field: 'amount' } });
      const { minimum } = body.errorData;
      expect((await sponsored((BigInt(minimum) - step).toString())).status).toBe(400);
      expect((await sponsored(minimum)).status).toBe(200);
    },
  );
});

describe('POST /execute/permits', () => {
  it('owes the deposit once, and answers the same signature the same', async () => {
    const { requestId } = await quoted();
    expect(await post(requestId)).toMatchObject({ status: 200 });
    expect(await legOf(requestId)).toMatchObject({ kind: 'permit', state: 'owed', recipient: ENTRY, work: WORK });
    expect((await api.call('GET', `/intents/status/v3?requestId=${requestId}`)).body.status).toBe('depositing');
    expect(await post(requestId)).toMatchObject({ status: 200 });
    expect(judged).toBe(1);
    expect(await post(requestId, '0x34')).toMatchObject({
      status: 400,
      body: { errorCode: 'PERMIT_FAILED', errorData: { reason: 'ORDER_ALREADY_FILLED' } },
    });
  });

  it('owes nothing that would not deposit now', async () => {
    const { requestId } = await quoted();
    trial = { is: 'refused', reason: 'GASLESS_PERMIT_BALANCE_TOO_LOW', message: 'too little' };
    expect(await post(requestId)).toMatchObject({
      status: 400,
      body: { errorCode: 'PERMIT_FAILED', errorData: { reason: 'GASLESS_PERMIT_BALANCE_TOO_LOW' } },
    });
    trial = { is: 'unavailable', message: 'busy' };
    expect(await post(requestId)).toMatchObject({ status: 503 });
    expect(await legOf(requestId)).toBeUndefined();
    trial = GOOD;
    expect(await post(requestId)).toMatchObject({ status: 200 });
  });

  it.each(['a', 'b'] as const)('sends nothing in while chain %s of the quote is not read', async (end) => {
    const { requestId } = await quoted();
    api[end].state.healthy = false;
    expect(await post(requestId)).toMatchObject({
      status: 503,
      body: { errorCode: 'SERVICE_UNAVAILABLE', retriable: true, errorData: { chainId: api[end].adapter.facts.id } },
    });
    expect([judged, await legOf(requestId)]).toEqual([0, undefined]);
    api[end].state.healthy = true;
    expect(await post(requestId)).toMatchObject({ status: 200 });
  });

  it('takes what the step has, and nothing for other quotes', async () => {
    const { requestId } = await quoted();
    expect(await post(requestId, '0x12', { kind: 'other' })).toMatchObject({ body: { errorData: { field: 'kind' } } });
    expect(await post(`0x${'5a'.repeat(32)}`)).toMatchObject({ body: { errorData: { field: 'requestId' } } });
    const plain = await api.call('POST', '/quote/v2', { body: ask({}) });
    expect(await post(plain.body.steps.at(-1).requestId)).toMatchObject({
      body: { errorData: { field: 'requestId' } },
    });
    expect(judged).toBe(0);
  });

  it('lets one payer have one deposit under way', async () => {
    const user = address('6');
    const [one, two] = [await quoted({ user }), await quoted({ user })];
    const [first, second] = await Promise.all([post(one.requestId), post(two.requestId)]);
    expect([first.status, second.status].sort()).toEqual([200, 429]);
    expect(judged).toBe(1);
  });
});
