import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ask, type RunningApi, runningApi, USER } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

const SEVEN = {
  user: USER,
  originChainId: 1,
  destinationChainId: 2,
  originCurrency: ask()['originCurrency'],
  destinationCurrency: ask()['destinationCurrency'],
  amount: '100000000',
  tradeType: 'EXACT_INPUT',
};

it('is a quote without steps, route, times and protocol', async () => {
  const change = { slippageTolerance: '100', appFees: [{ recipient: USER, fee: '25' }] };
  const { body: quote } = await api.call('POST', '/quote/v2', { body: ask(change) });
  const { status, body } = await api.call('POST', '/price', { body: ask(change) });
  expect(status).toBe(200);
  const { route, expiresAt, deadlineAt, ...details } = quote.details;
  for (const left of [route, expiresAt, deadlineAt]) expect(left).toBeDefined();
  expect(body).toEqual({ fees: quote.fees, details });
});

it('needs the seven fields of a quote and no more', async () => {
  expect((await api.call('POST', '/price', { body: SEVEN })).status).toBe(200);
  for (const field of Object.keys(SEVEN)) {
    const reply = await api.call('POST', '/price', { body: { ...SEVEN, [field]: undefined } });
    expect(reply.body).toMatchObject({ errorCode: 'INVALID_REQUEST', statusCode: 400, errorData: { field } });
  }
});

it('leaves nothing behind and signs nothing', async () => {
  const { apply } = api.store;
  onTestFinished(() => {
    api.store.apply = apply;
  });
  api.store.apply = () => Promise.reject(new Error('nothing may be written'));
  const reply = await api.call('POST', '/price', { body: { ...SEVEN, includeProtocolData: true } });
  expect(reply.status).toBe(200);
  expect(JSON.stringify(reply.body)).not.toContain('ignature');
});
