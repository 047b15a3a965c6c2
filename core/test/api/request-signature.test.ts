import { keccak256, recoverAddress, stringToHex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TOKEN } from './support/chain-double.js';
import { hash, requestOf, transactionOf } from './support/rows.js';
import { RECIPIENT, type RunningApi, runningApi, USER } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

it.each(['signature', 'signature/v2'])('the %s of a request is the solver’s, over what came of it', async (version) => {
  const actual = JSON.stringify({ amountIn: '100000000', currencyIn: TOKEN, amountOut: '98650000' });
  const request = await requestOf(api, {}, { status: 'success', actual });
  const n = version.length * 100;
  await transactionOf(api, request.id, 'deposit', n);
  await transactionOf(api, request.id, 'fill', n + 1);
  const { status, body } = await api.call('GET', `/requests/${request.id}/${version}`);
  expect(status).toBe(200);
  expect(body.requestData).toMatchObject({
    id: request.id,
    orderId: request.orderId,
    status: 'success',
    user: USER,
    recipient: RECIPIENT,
    quoted: { input: { chainId: 1, currency: TOKEN, amount: '100000000' } },
    actual: {
      input: { chainId: 1, currency: TOKEN, amount: '100000000' },
      output: { chainId: 2, currency: TOKEN, amount: '98650000' },
    },
    inTxs: [{ chainId: 1, txHash: hash(n), status: 'success' }],
    outTxs: [{ chainId: 2, txHash: hash(n + 1), status: 'success' }],
    failReason: null,
  });
  const digest = keccak256(stringToHex(JSON.stringify(body.requestData)));
  const signer = await recoverAddress({ hash: digest, signature: body.signature });
  expect([signer.toLowerCase(), body.signer]).toEqual([api.solver, api.solver]);
});

it('of a request that delivered nothing says so', async () => {
  const request = await requestOf(api, {}, { status: 'failure', failReason: 'NO_QUOTES' });
  const { body } = await api.call('GET', `/requests/${request.id.toUpperCase().replace('0X', '0x')}/signature`);
  expect(body.requestData).toMatchObject({ failReason: 'NO_QUOTES', actual: { output: null } });
});

it('is not made for what is no request', async () => {
  expect((await api.call('GET', `/requests/${hash(404)}/signature`)).body.errorCode).toBe('REQUEST_NOT_FOUND');
  expect((await api.call('GET', '/requests/x/signature')).body.errorData).toMatchObject({ field: 'id' });
});
