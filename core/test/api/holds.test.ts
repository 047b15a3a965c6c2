import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LegRow } from '../../src/contract/index.js';
import { legId } from '../../src/domain/accounts.js';
import { depositRow, holdRow, insert, legRow, requestRow } from '../../src/testing/store-fixtures.js';
import { catalogApi, HIDDEN_ID, KEY_WITH_GRANT } from './support/catalog-api.js';
import { address, TOKEN } from './support/chain-double.js';
import { type RunningApi, withKey } from './support/running-api.js';

let api: RunningApi;
const asked: string[] = [];
let own: boolean | Error;

beforeAll(async () => {
  api = await catalogApi();
});

beforeEach(() => {
  api.reset();
  asked.length = 0;
  own = true;
  api.a.state.verifies = (by, text, signature) => signature === `${by} signed ${text}`;
  api.a.state.ownMoney = async ({ transactionHash }) => {
    asked.push(transactionHash);
    if (own instanceof Error) throw own;
    return own;
  };
});

afterAll(() => api.close());

const DEPOSITOR = address('4');
const RECIPIENT = address('5');
const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
let serial = 0;

interface Held {
  readonly id: string;
  readonly hash: string;
  readonly requestId: string;
  readonly leg: () => Promise<LegRow | undefined>;
}

/** A transfer without an order on hold, as the engine writes it. */
async function held(
  change: { readonly hash?: string; readonly chainId?: number; readonly why?: string } = {},
): Promise<Held> {
  serial += 1;
  const n = serial;
  const { chainId = 1, hash: transactionHash = hashOf(n), why = 'unproven' } = change;
  const fundingKey = `${chainId}:${transactionHash}:${n}`;
  const place = { chainId, fundingKey, currency: TOKEN, amount: 5_000n };
  const request = requestRow(n, { status: 'failure', body: JSON.stringify({ order: { inputs: [] } }), fundingKey });
  const deposit = { ...depositRow(n), ...place, requestId: request.id, transactionHash, depositor: DEPOSITOR };
  const movement = { kind: 'refund', state: 'held', covers: 5_000n, recipient: DEPOSITOR, key: null } as const;
  const leg = legRow(n, { ...place, ...movement, id: legId.refund(fundingKey), requestId: request.id, reason: why });
  const reason = 'MANUAL_REFUND_REQUIRED';
  const hold = { ...holdRow(n), ...place, id: `hold:${leg.id}:4`, requestId: request.id, transactionHash, reason };
  const outcome = await api.store.apply({
    name: 'test',
    changes: [
      insert('requests', request),
      insert('deposits', { ...deposit, state: 'final', decision: 'refund', collectable: 0n }),
      insert('legs', leg),
      insert('holds', hold),
    ],
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  const now = async () => (await api.store.legs([leg.id]))[0];
  return { id: hold.id, hash: transactionHash, requestId: request.id, leg: now };
}

const pathOf = (id: string): string => `/holds/${encodeURIComponent(id)}`;
const messageFor = async (id: string, recipient = RECIPIENT): Promise<string> =>
  (await api.call('GET', `${pathOf(id)}?recipient=${recipient}`)).body.message;
const signed = (text: string, by = DEPOSITOR): string => `${by} signed ${text}`;
const release = (id: string, body: unknown) => api.call('POST', `${pathOf(id)}/release`, { body });

describe('anyone who sent a transfer that is held', () => {
  it('finds it by its transaction, in any spelling of that', async () => {
    const { id, hash } = await held({ hash: `0xab${hashOf(0).slice(4)}` });
    const hold = {
      id,
      transactionHash: hash,
      chainId: 1,
      currency: TOKEN,
      amount: '5000',
      reason: 'MANUAL_REFUND_REQUIRED',
      state: 'open',
      depositor: DEPOSITOR,
      claimable: true,
    };
    for (const spelled of [hash, `0x${hash.slice(2).toUpperCase()}`])
      expect((await api.call('GET', `/holds?hash=${spelled}`)).body).toEqual({ holds: [hold] });
    expect((await api.call('GET', pathOf(id))).body).toEqual({ hold });
  });

  it('finds it by that in a search too, where it arrived outside of all requests', async () => {
    const transactionHash = `0xcd${hashOf(77).slice(4)}`;
    const place = { transactionHash, fundingKey: `1:${transactionHash}:0`, chainId: 1, currency: TOKEN };
    const id = 'stray:1';
    const stray = { ...holdRow(77), ...place, id, requestId: requestRow(99).id, reason: 'NOT_IN_A_POT' };
    await api.store.apply({ name: 'test', changes: [insert('holds', stray)] });
    const search = (query: string) => api.call('GET', `/requests/v3?${query}`, withKey);
    for (const term of [transactionHash, transactionHash.toUpperCase().replace('X', 'x')]) {
      const { requests, holds } = (await search(`term=${term}`)).body;
      expect([requests, holds]).toEqual([[], [expect.objectContaining({ id, transactionHash, claimable: false })]]);
    }
    expect((await search(`depositTxHash=${transactionHash}`)).body).toEqual({ requests: [] });
    expect((await search(`term=${hashOf(0xabcdef)}`)).body).toEqual({ requests: [] });
  });

  it('is shown what to sign, and has it paid out by that, once', async () => {
    const { id, requestId, leg } = await held();
    const message = await messageFor(id);
    expect(message.split('\n')).toEqual(
      expect.arrayContaining([`Service: ${api.solver}`, `Hold: ${id}`, 'Chain: 1', `Recipient: ${RECIPIENT}`]),
    );
    const claim = { recipient: RECIPIENT, signature: signed(message) };
    expect(await release(id, claim)).toMatchObject({ status: 200, body: { state: 'owed', requestId } });
    expect(await leg()).toMatchObject({ state: 'owed', recipient: RECIPIENT, releasedBy: 'depositor' });
    expect(await release(id, claim)).toMatchObject({ status: 200, body: { state: 'inProgress', requestId } });
    expect(asked).toHaveLength(1);
    const after = (await api.call('GET', `${pathOf(id)}?recipient=${RECIPIENT}`)).body;
    expect(after).toMatchObject({ hold: { state: 'released', claimable: false } });
    expect(after.message).toBeUndefined();
  });

  it('may spell the recipient as they like, and signs for the one spelling that the service has', async () => {
    const { id, leg } = await held();
    const upper = `0x${'AB'.repeat(20)}`;
    const message = await messageFor(id, upper);
    expect(message).toContain(`Recipient: ${upper.toLowerCase()}`);
    expect((await release(id, { recipient: upper, signature: signed(message) })).status).toBe(200);
    expect((await leg())?.recipient).toBe(upper.toLowerCase());
  });

  it('sees at most twenty, those that are open first', async () => {
    const hash = hashOf(0xfeed);
    const all: Held[] = [];
    for (let n = 0; n < 22; n += 1) all.push(await held({ hash }));
    const first = all[0] as Held;
    await release(first.id, { recipient: RECIPIENT, signature: signed(await messageFor(first.id)) });
    const { holds } = (await api.call('GET', `/holds?hash=${hash}`)).body;
    expect(holds.map((hold: { readonly id: string }) => hold.id)).toEqual(all.slice(1, 21).map(({ id }) => id));
  });

  it('is informed of what is held for other reasons that only the operator may release it', async () => {
    const { id, leg } = await held({ why: 'MANUAL_REFUND_REQUIRED' });
    const { body } = await api.call('GET', `${pathOf(id)}?recipient=${RECIPIENT}`);
    expect(body).toMatchObject({ hold: { claimable: false } });
    expect(body.message).toBeUndefined();
    const reply = await release(id, { recipient: RECIPIENT, signature: 'x' });
    expect(reply).toMatchObject({
      status: 409,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field: 'id', why: 'notApplicable' } },
    });
    expect((await leg())?.state).toBe('held');
  });

  it('finds nothing of a transaction that nothing is held of', async () => {
    expect((await api.call('GET', `/holds?hash=${hashOf(0xabcdef)}`)).body).toEqual({ holds: [] });
  });
});

describe('a signature', () => {
  it.each([
    ['of another', async (id: string) => signed(await messageFor(id), address('6'))],
    ['for another recipient', async (id: string) => signed(await messageFor(id, address('6')))],
    ['that is none', async () => 'x'],
  ])('%s is 403, and no chain is asked', async (_, made) => {
    const { id, leg } = await held();
    expect(await release(id, { recipient: RECIPIENT, signature: await made(id) })).toMatchObject({
      status: 403,
      body: { errorCode: 'FORBIDDEN', statusCode: 403, retriable: false, errorData: { field: 'signature' } },
    });
    expect(asked).toEqual([]);
    expect((await leg())?.state).toBe('held');
  });

  it('is not enough where the chain does not prove whose money it was', async () => {
    const { id } = await held();
    own = false;
    const signature = signed(await messageFor(id));
    expect(await release(id, { recipient: RECIPIENT, signature })).toMatchObject({
      status: 409,
      body: { errorData: { field: 'id', why: 'notSafe' } },
    });
  });

  it('may be sent again where the chain could not be asked', async () => {
    const { id } = await held();
    own = new Error('no provider');
    const claim = { recipient: RECIPIENT, signature: signed(await messageFor(id)) };
    expect(await release(id, claim)).toMatchObject({
      status: 503,
      body: { errorCode: 'RPC_HTTP_ERROR', retriable: true },
    });
    own = true;
    expect((await release(id, claim)).status).toBe(200);
  });

  it('for another recipient is refused once it is paid to one', async () => {
    const { id } = await held();
    const other = { recipient: address('6'), signature: signed(await messageFor(id, address('6'))) };
    await release(id, { recipient: RECIPIENT, signature: signed(await messageFor(id)) });
    expect(await release(id, other)).toMatchObject({ status: 409, body: { errorData: { why: 'notApplicable' } } });
  });
});

describe('a hold on a private chain', () => {
  it('is there for those alone who may know of the chain', async () => {
    const { id, hash } = await held({ chainId: HIDDEN_ID });
    const granted = { headers: { 'x-api-key': KEY_WITH_GRANT } };
    expect((await api.call('GET', `/holds?hash=${hash}`)).body).toEqual({ holds: [] });
    expect((await api.call('GET', `/holds?hash=${hash}`, granted)).body).toMatchObject({ holds: [{ id }] });
    expect((await api.call('GET', `/requests/v3?term=${hash}`, withKey)).body).toEqual({ requests: [] });
    const found = await api.call('GET', `/requests/v3?term=${hash}`, granted);
    expect(found.body).toMatchObject({ holds: [{ id }] });
    for (const search of ['', '?recipient=nobody'])
      expect(await api.call('GET', `${pathOf(id)}${search}`)).toMatchObject({ status: 404 });
    expect(await api.call('GET', pathOf(id), granted)).toMatchObject({ status: 200, body: { hold: { id } } });
    expect(await release(id, { recipient: RECIPIENT, signature: 'x' })).toMatchObject({ status: 404 });
    const body = { recipient: RECIPIENT, signature: 'x' };
    expect(await api.call('POST', `${pathOf(id)}/release`, { body, ...granted })).toMatchObject({ status: 409 });
  });
});

const GOOD = { recipient: RECIPIENT, signature: 'x' };

describe('bad input', () => {
  it.each([
    ['/holds', 'hash'],
    ['/holds?hash=', 'hash'],
    ['/holds?hash=a&hash=b', 'hash'],
    ['/holds?hash=%00', 'hash'],
    [`/holds?hash=${'a'.repeat(257)}`, 'hash'],
    ['/holds/x?recipient=', 'recipient'],
    ['/holds/x?recipient=a%20b', 'recipient'],
    ['/holds/x?recipient=a%0aRecipient:%20b', 'recipient'],
    [`/holds/x?recipient=${'a'.repeat(257)}`, 'recipient'],
    [`/holds/${'x'.repeat(401)}`, 'id'],
    ['/holds/a%00b', 'id'],
  ])('%s is 400, naming %s', async (path, field) => {
    const reply = await api.call('GET', path);
    expect(reply).toMatchObject({ status: 400, body: { errorCode: 'INVALID_REQUEST', errorData: { field } } });
  });

  it.each<[string, unknown, string]>([
    ['x', {}, 'recipient'],
    ['x', { recipient: RECIPIENT }, 'signature'],
    ['x', { ...GOOD, signature: '' }, 'signature'],
    ['x', { ...GOOD, signature: 5 }, 'signature'],
    ['x', { ...GOOD, signature: [] }, 'signature'],
    ['x', { ...GOOD, signature: 'a'.repeat(4_097) }, 'signature'],
    ['x', { ...GOOD, signature: '\0' }, 'signature'],
    ['x', { ...GOOD, recipient: '' }, 'recipient'],
    ['x', { ...GOOD, recipient: null }, 'recipient'],
    ['x', { ...GOOD, recipient: 'a\nb' }, 'recipient'],
    ['x', { ...GOOD, recipient: 'ａ' }, 'recipient'],
    ['x', [], 'body'],
    ['x'.repeat(401), GOOD, 'id'],
  ])('release %#: 400, naming the field', async (id, body, field) => {
    const reply = await release(id, body);
    expect(reply).toMatchObject({ status: 400, body: { errorCode: 'INVALID_REQUEST', errorData: { field } } });
  });

  it.each(['nothing', 'hold:refund:1:0x1:0:4', '😀', '%2e%2e', 'a/b', "'; --"])('%s is no hold: 404', async (id) => {
    const wrong = { status: 404, body: { errorCode: 'INVALID_REQUEST', errorData: { field: 'id', why: 'notFound' } } };
    expect(await api.call('GET', pathOf(id))).toMatchObject(wrong);
    expect(await release(id, GOOD)).toMatchObject(wrong);
  });

  it.each([
    ['no address', '0x12'],
    ['a token contract', TOKEN],
    ['the depository', address('d')],
    ['the router', address('e')],
  ])('%s is no recipient: 400', async (_, recipient) => {
    const { id, leg } = await held();
    const wrong = { status: 400, body: { errorCode: 'INVALID_REQUEST', errorData: { field: 'recipient' } } };
    expect(await api.call('GET', `${pathOf(id)}?recipient=${recipient}`)).toMatchObject(wrong);
    expect(await release(id, { recipient, signature: 'x' })).toMatchObject(wrong);
    expect((await leg())?.state).toBe('held');
  });

  it('nonsense of any kind blames no one but the caller', async () => {
    const { id, leg } = await held();
    const values = [null, [], {}, true, -1, 1e300, '', ' ', '\u0000', '\ud800', '0x', 'a'.repeat(5_000), '__proto__'];
    for (const value of values) {
      for (const body of [{ ...GOOD, recipient: value }, { ...GOOD, signature: value }, value]) {
        const { status } = await release(id, body);
        expect([400, 403]).toContain(status);
      }
    }
    for (const raw of ['', '{', '{"recipient":', '[[[[', '{"__proto__":{"recipient":"a"}}'])
      expect((await api.call('POST', `${pathOf(id)}/release`, { raw })).status).toBe(400);
    expect((await leg())?.state).toBe('held');
    expect(asked).toEqual([]);
    expect(api.logs.filter((line) => line.level === 'error')).toEqual([]);
  });
});
