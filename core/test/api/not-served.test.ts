import { afterAll, beforeAll, expect, it } from 'vitest';
import { address } from './support/chain-double.js';
import { type RunningApi, runningApi } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

/** Paths of the public SDK's types. */
it.each([
  ['POST', '/execute/swap', { user: address('1'), amount: '1' }],
  ['GET', '/config?originChainId=1&destinationChainId=2'],
  ['GET', `/chains/1/currencies/${address('a')}/chart?timeframe=7D`],
  ['GET', '/currencies/trending?chainId=1'],
  ['GET', '/prices/rates'],
  ['GET', `/sanctioned/${address('1')}`],
  ['POST', '/wallets/screen', { wallets: [{ address: address('1'), chainId: '1' }] }],
  ['POST', '/withdrawals/request', {}],
  ['GET', '/withdrawals/status'],
  ['GET', '/metrics/usage?granularity=daily'],
])('%s %s says that it is not served, as the rest does', async (method, path, body?: object) => {
  expect(await api.call(method, path, body ? { body } : {})).toMatchObject({
    status: 400,
    body: {
      errorCode: 'UNSUPPORTED_EXECUTION_TYPE',
      statusCode: 400,
      retriable: false,
      message: expect.stringMatching(/ (?:is|are) not served$/),
    },
  });
});

it('names what is wrong with a body first', async () => {
  const reply = await api.call('POST', '/wallets/screen', { body: {} });
  expect(reply).toMatchObject({
    status: 400,
    body: { errorCode: 'INVALID_REQUEST', errorData: { field: 'wallets' } },
  });
});

it('still does not know what no client knows', async () => {
  expect((await api.call('GET', '/nothing')).status).toBe(404);
  expect((await api.call('GET', '/balance-events')).status).toBe(404);
});
