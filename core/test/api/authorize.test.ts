import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nonceMappingId } from '../../src/capabilities/nonce-mappings/sent-by.js';
import type { NonceMapping, NonceMappings } from '../../src/contract/nonce-mappings.js';
import type { Change } from '../../src/contract/store.js';
import { depositRow, insert, metaRow, requestRow } from '../../src/testing/store-fixtures.js';
import { address, NATIVE } from './support/chain-double.js';
import { ask, type RunningApi, runningApi } from './support/running-api.js';

let api: RunningApi;

/** Represents a signature of the account over all of the mapping. */
function signed({ account, nonce, orderId, signatureChainId }: NonceMapping): string {
  return `0x${Buffer.from(`${account} ${nonce} ${orderId} ${signatureChainId}`).toString('hex')}`;
}

const MAPPINGS: NonceMappings = {
  next: async () => ({ is: 'known', nonce: '0' }),
  typedData: () => ({ domain: {}, types: {}, primaryType: '', value: {} }),
  refuse: (mapping, signature) => (signature === signed(mapping) ? undefined : 'was made by someone else'),
};

beforeAll(async () => {
  api = await runningApi();
});
beforeEach(() => {
  Object.assign(api.a.state, { nonceMappings: MAPPINGS, transferDeposits: (currency: string) => currency !== NATIVE });
});
afterEach(() => api.reset());
afterAll(() => api.close());

const USER = address('1');
let orders = 0;

interface Quoted {
  readonly orderId: `0x${string}`;
  readonly requestId: `0x${string}`;
}

async function quoted(change: object = {}): Promise<Quoted> {
  orders += 1;
  const recipient = `0x${orders.toString(16).padStart(40, '6')}`;
  const { status, body } = await api.call('POST', '/quote/v2', { body: ask({ user: USER, recipient, ...change }) });
  expect(status, JSON.stringify(body)).toBe(200);
  return { orderId: body.protocol.v2.orderId, requestId: body.steps.at(-1).requestId };
}

const bodyOf = (orderId: string, nonce: string | number, change: object = {}) => ({
  ...{ type: 'nonce-mapping', walletChainId: 1, wallet: USER, depositor: USER, nonce, id: orderId },
  ...{ signatureChainId: 1, ...change },
});

/** Signed as the body says, by its depositor. */
function authorize(orderId: string, nonce: string | number, change: object = {}, signature?: string) {
  const body = bodyOf(orderId, nonce, change);
  const mapping = { account: body.depositor, nonce: String(nonce), orderId: orderId as `0x${string}` };
  const by = signature ?? signed({ ...mapping, signatureChainId: Number(body.signatureChainId) });
  return api.call('POST', `/authorize?signature=${by}`, { body });
}

const mappingOf = async (nonce: string) =>
  (await api.store.nonceMappings([nonceMappingId(1, { account: USER, nonce })]))[0];

const refused = (field: string, status = 400, errorCode = 'INVALID_REQUEST') => ({
  status,
  body: { errorCode, errorData: { field } },
});

describe('POST /authorize', () => {
  it('keeps what the payer signed, and answers the same again though the order is paid and over', async () => {
    const { orderId, requestId } = await quoted();
    expect(await authorize(orderId, 7)).toMatchObject({ status: 200 });
    expect(await mappingOf('7')).toMatchObject({ orderId, chainId: 1, signatureChainId: 1 });
    const row = requestRow(1, { id: requestId, orderId, status: 'success', fundingKey: '1:a:0' });
    await api.store.apply({ name: 'test.paid', changes: [{ op: 'insert', table: 'requests', row }] });
    api.clock.offset = 86_400_000;
    const again = await authorize(orderId, '7');
    expect(again).toMatchObject({ status: 200, body: { message: 'The nonce was mapped before' } });
  });

  it('takes the signature in the body too, and ids and accounts in any letter case', async () => {
    const { orderId } = await quoted();
    const mapping = { account: USER, nonce: '8', orderId, signatureChainId: 5 };
    const body = { ...bodyOf(`0x${orderId.slice(2).toUpperCase()}`, 8, { signatureChainId: '5' }), walletChainId: '1' };
    const reply = await api.call('POST', '/authorize', { body: { ...body, signature: signed(mapping) } });
    expect(reply).toMatchObject({ status: 200 });
    expect(await mappingOf('8')).toMatchObject({ orderId, signatureChainId: 5 });
  });

  it('gives a nonce to one order, and an order one nonce, the first of many in parallel', async () => {
    const [one, other] = [await quoted(), await quoted()];
    expect(await authorize(one.orderId, 10)).toMatchObject({ status: 200 });
    expect(await authorize(other.orderId, 10)).toMatchObject(refused('nonce', 409));
    expect(await authorize(one.orderId, 11)).toMatchObject(refused('id', 409));
    const third = await quoted();
    const replies = await Promise.all([20, 21, 22, 23].map((nonce) => authorize(third.orderId, nonce)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(3);
    expect(await mappingOf('11')).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['another account for the payer', { depositor: address('2') }, 'depositor'],
    ['another wallet than the payer', { wallet: address('2') }, 'depositor'],
    ['a wallet that is no address', { wallet: 'nobody' }, 'wallet'],
    ['a depositor that is no address', { depositor: 'nobody' }, 'depositor'],
    ['an id that is none', { id: '0x12' }, 'id'],
    ['another type', { type: 'claim' }, 'type'],
    ['a negative nonce', { nonce: -1 }, 'nonce'],
    ['a nonce beyond any account', { nonce: '18446744073709551615' }, 'nonce'],
    ['a nonce with zeros in front', { nonce: '007' }, 'nonce'],
  ])('refuses %s', async (_, change, field) => {
    const { orderId } = await quoted();
    const body = bodyOf(orderId, 30, change);
    const mapping = { account: body.depositor, nonce: String(body.nonce), orderId, signatureChainId: 1 };
    const reply = await api.call('POST', `/authorize?signature=${signed(mapping)}`, { body });
    expect(reply).toMatchObject(refused(field));
    expect(await mappingOf('30')).toBeUndefined();
  });

  it('refuses what the payer did not sign, and what has no signature', async () => {
    const { orderId } = await quoted();
    expect(await authorize(orderId, 31, {}, '0x12')).toMatchObject(refused('signature'));
    const other = { account: USER, nonce: '32', orderId, signatureChainId: 1 };
    expect(await authorize(orderId, 31, {}, signed(other))).toMatchObject(refused('signature'));
    expect(await api.call('POST', '/authorize', { body: bodyOf(orderId, 31) })).toMatchObject(refused('signature'));
    expect(await mappingOf('31')).toBeUndefined();
  });

  it('refuses a stranger who signs for the order of another', async () => {
    const { orderId } = await quoted();
    const stranger = address('3');
    expect(await authorize(orderId, 33, { wallet: stranger, depositor: stranger })).toMatchObject(refused('depositor'));
  });

  it('knows no order that there is not, and none on another chain', async () => {
    expect(await authorize(`0x${'5a'.repeat(32)}`, 34)).toMatchObject(refused('id', 404, 'REQUEST_NOT_FOUND'));
    const { orderId } = await quoted({ originChainId: 2, destinationChainId: 1 });
    expect(await authorize(orderId, 34)).toMatchObject(refused('walletChainId'));
    expect(await authorize(orderId, 34, { walletChainId: 77 })).toMatchObject(
      refused('walletChainId', 400, 'UNSUPPORTED_CHAIN'),
    );
    expect(await authorize(orderId, 34, { walletChainId: 2 })).toMatchObject(
      refused('walletChainId', 400, 'UNSUPPORTED_EXECUTION_TYPE'),
    );
  });

  it('refuses orders that are over or paid for, and those that no plain transfer pays', async () => {
    const [paid, native] = [
      await quoted(),
      await quoted({ originCurrency: NATIVE, destinationCurrency: NATIVE, amount: '1000000000000000000' }),
    ];
    expect(await authorize(native.orderId, 35)).toMatchObject(refused('id', 400, 'UNSUPPORTED_EXECUTION_TYPE'));
    const row = requestRow(2, { id: paid.requestId, orderId: paid.orderId, status: 'pending', fundingKey: '1:b:0' });
    await api.store.apply({ name: 'test.paid', changes: [{ op: 'insert', table: 'requests', row }] });
    expect(await authorize(paid.orderId, 36)).toMatchObject(refused('id', 409));
    const late = await quoted();
    api.clock.offset = 86_400_000;
    expect(await authorize(late.orderId, 37)).toMatchObject(refused('id'));
  });

  /** As the engine records a transfer of this nonce that names no order. */
  async function recorded(n: number, nonce: string, state: 'included' | 'vanished') {
    const deposit = depositRow(n, { chainId: 1, depositor: USER, orderId: null, state });
    const sent = { key: `sent:1:${USER}:${nonce}`, value: JSON.stringify([deposit.fundingKey]) };
    const changes: Change[] = [insert('deposits', deposit), insert('meta', metaRow(n, sent))];
    await api.store.apply({ name: 'test.recorded', changes });
    return deposit;
  }

  it('says of a transfer that is recorded already what happened, and where its money is to be seen', async () => {
    const { orderId } = await quoted();
    const { requestId, transactionHash } = await recorded(40, '40', 'included');
    const reply = await authorize(orderId, 40);
    expect(reply).toMatchObject(refused('nonce', 409));
    expect(reply.body).toMatchObject({
      errorData: { transactionHash, requestId },
      message: expect.stringContaining(`a refund to its sender: GET /requests/v3?id=${requestId}`),
    });
    expect(await mappingOf('40')).toBeUndefined();
    expect(await authorize(orderId, 41)).toMatchObject({ status: 200 });
    expect(await authorize(orderId, 41)).toMatchObject({ body: { message: 'The nonce was mapped before' } });
  });

  it('maps the nonce of a recorded transfer that a reorg removed, and reports the result of that one', async () => {
    const { orderId } = await quoted();
    const { transactionHash } = await recorded(42, '42', 'vanished');
    const reply = await authorize(orderId, 42);
    expect(reply).toMatchObject({ status: 200, body: { message: expect.stringContaining(transactionHash) } });
    expect(await mappingOf('42')).toMatchObject({ orderId });
  });
});
