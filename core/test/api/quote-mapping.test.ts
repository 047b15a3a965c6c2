import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NextNonce, NonceMapping, NonceMappings } from '../../src/contract/nonce-mappings.js';
import { address, NATIVE } from './support/chain-double.js';
import { ask, type RunningApi, runningApi, USER } from './support/running-api.js';

let api: RunningApi;
let next: NextNonce;
/** Accounts whose next nonce was asked for. */
let asked: string[];

const typed = (mapping: NonceMapping) => ({
  domain: { name: 'Mapping' },
  types: { Mapping: [] },
  primaryType: 'Mapping',
  value: { ...mapping },
});

const MAPPINGS: NonceMappings = {
  next: async (account) => {
    asked.push(account);
    return next;
  },
  typedData: typed,
  refuse: (_, signature) => (signature === '0x12' ? undefined : 'was made by someone else'),
};

beforeAll(async () => {
  api = await runningApi();
});
beforeEach(() => {
  [next, asked] = [{ is: 'known', nonce: '7' }, []];
  Object.assign(api.a.state, { nonceMappings: MAPPINGS, transferDeposits: (currency: string) => currency !== NATIVE });
});
afterEach(() => api.reset());
afterAll(() => api.close());

const quote = (change: object = {}) =>
  api.call('POST', '/quote/v2', { body: ask({ useNonceMapping: true, ...change }) });

describe('a quote whose deposit is named by a nonce', () => {
  it('has a step to sign for the next transaction of the payer, and then its plain transfer', async () => {
    const { status, body } = await quote();
    expect(status, JSON.stringify(body)).toBe(200);
    const { orderId } = body.protocol.v2;
    const [authorize, deposit, ...others] = body.steps;
    expect(others).toEqual([]);
    expect(asked).toEqual([USER]);
    const requestId = deposit.requestId;
    expect(authorize).toMatchObject({ id: 'authorize', kind: 'signature', requestId });
    const [item] = authorize.items;
    const mapping = { account: USER, nonce: '7', orderId, signatureChainId: 1 };
    expect(item).toEqual({
      status: 'incomplete',
      data: {
        sign: { signatureKind: 'eip712', ...typed(mapping) },
        post: {
          ...{ endpoint: '/authorize', method: 'POST' },
          body: {
            ...{ type: 'nonce-mapping', walletChainId: 1, wallet: USER, depositor: USER, nonce: '7', id: orderId },
            signatureChainId: 1,
          },
        },
      },
    });
    expect(deposit).toMatchObject({ id: 'deposit', kind: 'transaction' });
    expect(deposit.items[0].data).toMatchObject({ byTransfer: true, nonce: '7' });
  });

  it('has a step that is accepted as it is, by the route that it names', async () => {
    const { data } = (await quote()).body.steps[0].items[0];
    const { endpoint, method, body } = data.post;
    expect(await api.call(method, `${endpoint}?signature=0x12`, { body })).toMatchObject({ status: 200 });
  });

  it('takes the nonce that the payer says, without asking the chain', async () => {
    next = { is: 'unavailable', message: 'down' };
    const { body } = await quote({ depositNonce: 0 });
    expect(body.steps[0].items[0].data.post.body.nonce).toBe('0');
    expect(body.steps[1].items[0].data.nonce).toBe('0');
    expect(asked).toEqual([]);
  });

  it('is not given while the chain does not say the next nonce; a price is', async () => {
    next = { is: 'unavailable', message: 'down' };
    expect(await quote()).toMatchObject({ status: 503, body: { errorCode: 'RPC_HTTP_ERROR', retriable: true } });
    const price = await api.call('POST', '/price', { body: ask({ useNonceMapping: true }) });
    expect(price.status).toBe(200);
    expect(asked).toEqual([USER]);
  });

  it('is refused with other ways to deposit, and of coin that no plain transfer deposits', async () => {
    api.a.state.feePayers = true;
    Object.assign(api.a.state, { permits: { cost: () => undefined } });
    const others: readonly object[] = [
      { usePermit: true },
      { explicitDeposit: false },
      { depositFeePayer: address('8') },
      { originCurrency: NATIVE, amount: '1000000000000000000' },
    ];
    for (const other of others)
      expect(await quote(other), JSON.stringify(other)).toMatchObject({
        status: 400,
        body: { errorCode: 'UNSUPPORTED_EXECUTION_TYPE', errorData: { field: 'useNonceMapping' } },
      });
    expect((await quote({ useDepositAddress: true })).status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('is refused where the origin chain has no nonces', async () => {
    Object.assign(api.a.state, { nonceMappings: undefined });
    expect(await quote()).toMatchObject({
      status: 400,
      body: { errorCode: 'UNSUPPORTED_EXECUTION_TYPE', errorData: { field: 'useNonceMapping' } },
    });
  });
});
