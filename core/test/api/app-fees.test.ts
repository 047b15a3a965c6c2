import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Hex } from '../../src/contract/index.js';
import { account } from '../../src/domain/accounts.js';
import { attemptLegRow, attemptRow, insert, keyRow, legRow } from '../../src/testing/store-fixtures.js';
import { catalogApi, HIDDEN_ID, KEY_WITH_GRANT } from './support/catalog-api.js';
import { address, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import type { RunningApi } from './support/running-api.js';

const WALLET = address('d');
const OTHER = address('e');
const TILL = address('5');

let api: RunningApi;

async function take(chainId: number, recipient: string, currency: string, amount: bigint, group: string) {
  const line = { groupId: group, requestId: null, legId: null, createdAt: 1 };
  const outcome = await api.store.apply({
    name: 'test.fee',
    changes: [
      {
        op: 'post',
        lines: [
          { ...line, account: account.owed(chainId, currency), amount },
          { ...line, account: account.appFees(chainId, recipient, currency), amount: -amount },
        ],
      },
    ],
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}

const INCLUDED_AT = 1_700_000_000_000;

/** The fill on chain 2 is not final. */
async function unfinal(recipient: string, currency: string, amount: bigint) {
  const [{ signer } = { signer: '' }] = api.b.adapter.lanes;
  const appFees = [{ recipient, amount: amount.toString() }];
  const movement = { legId: 'unfinal', originChainId: 1, originCurrency: currency, appFees };
  const inclusion = JSON.stringify({ movements: [movement] });
  const outcome = await api.store.apply({
    name: 'test.unfinal',
    changes: [
      insert('lanes', { id: `2:${signer}`, version: 1, chainId: 2, signer, position: '0', halted: null }),
      insert(
        'legs',
        legRow(1, { id: 'unfinal', chainId: 2, signer, requestId: null, key: '2:1', includedAt: INCLUDED_AT }),
      ),
      insert('keys', keyRow(1, { id: '2:1', chainId: 2, signer, inclusion, includedHash: '0x01', includedHeight: 1 })),
      insert('attempts', attemptRow(1, { id: '2:1#1', keyId: '2:1', chainId: 2, signer, state: 'included' })),
      insert('attemptLegs', attemptLegRow(1, { attemptId: '2:1#1', legId: 'unfinal' })),
    ],
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome));
}

beforeAll(async () => {
  api = await catalogApi();
  await unfinal(OTHER, TOKEN, 3_000_000n);
  await take(1, WALLET, TOKEN, 10_000_000n, 'one');
  await take(1, WALLET, TOKEN, 2_500_000n, 'two');
  await take(2, WALLET, NATIVE, 10n ** 15n, 'three');
  await take(1, OTHER, TOKEN, 7_000_000n, 'four');
  await take(HIDDEN_ID, WALLET, TOKEN, 1_000_000n, 'five');
  await take(1, WALLET, OTHER_TOKEN, 5n, 'six');
  await take(1, WALLET, OTHER_TOKEN, -5n, 'seven');
});
afterEach(() => api.reset());
afterAll(() => api.close());

const balances = (wallet: string, options = {}) => api.call('GET', `/app-fees/${wallet}/balances`, options);
const claim = (wallet: string, body: object) => api.call('POST', `/app-fees/${wallet}/claim`, { body });

describe('GET /app-fees/{wallet}/balances', () => {
  it('adds up what filled deposits owe to a wallet, per chain and currency', async () => {
    const { status, body } = await balances(WALLET.toUpperCase().replace('X', 'x'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      balances: [
        {
          currency: { chainId: 1, symbol: 'USDC' },
          amount: '12500000',
          amountFormatted: '12.5',
          amountUsd: '12.500000',
        },
        { currency: { chainId: 2, symbol: 'ETH' }, amount: '1000000000000000', amountUsd: '2.000000' },
      ],
      totalBalanceUsd: 14.5,
      outstandingFastFillBalanceUsd: 0,
      availableBalanceUsd: 14.5,
    });
    expect(body.balances).toHaveLength(2);
  });

  it('says what of it can be claimed, and until when the rest waits; so does a claim that is refused', async () => {
    const pendingUntil = new Date(INCLUDED_AT + api.b.adapter.facts.finalityMs).toISOString();
    const { body } = await balances(OTHER);
    expect(body).toMatchObject({
      balances: [{ amount: '7000000', claimableAmount: '4000000', pendingAmount: '3000000', pendingUntil }],
      totalBalanceUsd: 7,
      availableBalanceUsd: 4,
    });
    api.a.state.verifies = () => false;
    const refused = await claim(OTHER, { chainId: 1, currency: TOKEN, recipient: TILL, amount: '7000000' });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        message: expect.stringContaining(pendingUntil),
        errorData: { field: 'amount', pendingAmount: '3000000', pendingUntil },
      },
    });
    expect((await balances(WALLET)).body.balances[0]).toMatchObject({
      ...{ claimableAmount: '12500000', pendingAmount: '0', pendingUntil: null },
    });
  });

  it('is empty for whom nothing is owed to', async () => {
    expect((await balances(address('1'))).body).toMatchObject({ balances: [], totalBalanceUsd: 0 });
  });

  it('counts what has no price as nothing, and shows it', async () => {
    Reflect.deleteProperty(api.prices, 'usd-coin');
    const { body } = await balances(WALLET);
    expect(body).toMatchObject({ balances: [{ amountUsd: '0' }, {}], totalBalanceUsd: 2 });
  });

  it('reports private chains to keys that were granted them', async () => {
    const { body } = await balances(WALLET, { headers: { 'x-api-key': KEY_WITH_GRANT } });
    expect(body.totalBalanceUsd).toBe(15.5);
  });

  it('refuses what is no address', async () => {
    expect(await balances('nobody')).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field: 'wallet' } },
    });
  });
});

const permit = (body: object, signature?: string) =>
  api.call('POST', `/execute/permits${signature === undefined ? '' : `?signature=${encodeURIComponent(signature)}`}`, {
    body,
  });
const claims = (wallet: string, query = '') => api.call('GET', `/app-fees/${wallet}/claims${query}`);
const signed = (text: string, by = WALLET): string => `${by} signed ${text}`;

describe('claims of app fees', () => {
  const body = { chainId: 1, currency: TOKEN, recipient: TILL };

  beforeAll(async () => {
    const lane = { id: '1:filler', version: 1, chainId: 1, signer: 'filler', position: '0', halted: null };
    const line = { groupId: 'stock', requestId: null, legId: null, createdAt: 1 };
    const [{ signer } = lane] = api.a.adapter.lanes;
    const lines = [
      { ...line, account: account.inventory(1, signer, TOKEN), amount: 10n ** 12n },
      { ...line, account: account.opening(1, TOKEN), amount: -(10n ** 12n) },
    ];
    const outcome = await api.store.apply({ name: 'test.stock', changes: [{ op: 'post', lines }] });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome));
  });

  beforeEach(() => {
    api.a.state.verifies = (by, text, signature) => signature === signed(text, by);
  });

  /** As the engine records a final payout. */
  async function paid(claimId: Hex): Promise<void> {
    const { leg } = (await api.store.feeClaim(claimId)) ?? {};
    if (!leg) throw new Error(`there is no claim ${claimId}`);
    const change = {
      op: 'update',
      table: 'legs',
      key: { id: leg.id },
      version: leg.version,
      set: { state: 'done' },
    } as const;
    await api.store.apply({ name: 'test.paid', changes: [change] });
  }

  it('are one step to sign, and leave nothing behind until it is', async () => {
    const { status, body: answer } = await claim(WALLET, { ...body, amount: '5000000' });
    expect(status).toBe(200);
    const [step] = answer.steps;
    const [item] = step.items;
    expect(step).toMatchObject({ id: 'authorize', kind: 'signature', requestId: item.data.sign.message });
    expect(item.data.sign).toEqual({ signatureKind: 'eip191', message: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(item.data.post).toEqual({
      endpoint: '/execute/permits',
      method: 'POST',
      body: {
        kind: 'claim',
        requestId: step.requestId,
        claim: { chainId: 1, wallet: WALLET, currency: TOKEN, recipient: TILL, amount: '5000000' },
      },
    });
    expect(answer.details).toMatchObject({ amount: { amount: '5000000' }, recipient: TILL });
    const { fee, currencyOut } = answer.details;
    expect(BigInt(fee.amount) + BigInt(currencyOut.amount)).toBe(5_000_000n);
    expect((await balances(WALLET)).body.balances[0].amount).toBe('12500000');
    expect((await claims(WALLET)).body).toEqual({ claims: [] });
  });

  it('are taken once they are signed, listed page by page, and done once however often they are posted', async () => {
    const ids: string[] = [];
    for (const amount of ['5000000', '3000000', '2000000']) {
      const { body: answer } = await claim(WALLET, { ...body, amount });
      const { post, sign } = answer.steps[0].items[0].data;
      const first = await permit(post.body, signed(sign.message));
      expect(first).toMatchObject({ status: 200, body: { message: 'The claim is accepted, and is being paid' } });
      expect(await permit(post.body, signed(sign.message))).toMatchObject({
        status: 200,
        body: { message: 'The claim was accepted before' },
      });
      ids.unshift(sign.message);
      const next = await claim(WALLET, body);
      expect(next.headers.get('retry-after')).toBe('5');
      expect(next).toMatchObject({
        status: 429,
        body: { errorCode: 'RATE_LIMITED', retriable: true, message: expect.stringMatching(/^wallet: .*being paid/) },
      });
      if (amount !== '2000000') await paid(sign.message);
    }
    expect((await balances(WALLET)).body.balances[0].amount).toBe('2500000');
    const { body: all } = await claims(WALLET.toUpperCase().replace('X', 'x'));
    expect(all.claims.map((one: { claimId: string }) => one.claimId).sort()).toEqual([...ids].sort());
    expect(all.claims[0]).toMatchObject({ wallet: WALLET, recipient: TILL, txHash: null, status: 'pending' });
    const walked: string[] = [];
    for (let query = '?limit=2'; query !== ''; ) {
      const page = (await claims(WALLET, query)).body;
      walked.push(...page.claims.map((one: { claimId: string }) => one.claimId));
      query = page.continuation === undefined ? '' : `?limit=2&continuation=${page.continuation}`;
    }
    expect(walked).toEqual(all.claims.map((one: { claimId: string }) => one.claimId));
    const { continuation } = (await claims(WALLET, '?limit=1')).body;
    expect(await claims(OTHER, `?limit=1&continuation=${continuation}`)).toMatchObject({
      status: 400,
      body: { errorData: { field: 'continuation' } },
    });
    await paid(ids[0] as Hex);
  });

  it.each([
    ['wallet', 'nobody', body],
    ['amount', WALLET, { ...body, amount: '-1' }],
    ['amount', WALLET, { ...body, amount: '999999999999' }],
    ['chainId', WALLET, { ...body, chainId: 'one' }],
    ['chainId', WALLET, { ...body, chainId: 77 }],
    ['chainId', WALLET, { ...body, chainId: HIDDEN_ID }],
    ['recipient', WALLET, { ...body, recipient: 'nobody' }],
  ])('name a bad %s', async (field, wallet, wrong) => {
    expect(await claim(wallet, wrong)).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field } },
    });
  });

  it.each([
    ['UNSUPPORTED_CURRENCY', 400, { ...body, currency: address('9') }],
    ['AMOUNT_TOO_LOW', 400, { ...body, amount: '0' }],
    ['AMOUNT_TOO_LOW', 400, { ...body, currency: OTHER_TOKEN }],
  ])('are refused with %s', async (errorCode, status, wrong) => {
    expect(await claim(WALLET, wrong)).toMatchObject({ status, body: { errorCode } });
  });

  it('of a chain whose signatures cannot be read are refused before anything is signed', async () => {
    api.a.state.verifies = undefined;
    expect(await claim(WALLET, body)).toMatchObject({ status: 503, body: { errorCode: 'SERVICE_UNAVAILABLE' } });
  });

  it('are paid to no one else than was signed for, and for no one who did not sign', async () => {
    const { body: answer } = await claim(WALLET, { ...body, amount: '1000000' });
    const { post, sign } = answer.steps[0].items[0].data;
    const good = signed(sign.message);
    const thief = { ...post.body, claim: { ...post.body.claim, recipient: address('7') } };
    for (const [sent, signature] of [
      [post.body, signed(sign.message, OTHER)],
      [post.body, '0x'],
      [thief, good],
      [{ ...post.body, claim: { ...post.body.claim, amount: '2000000' } }, good],
      [{ ...post.body, requestId: `0x${'1'.repeat(64)}` }, good],
    ] as const)
      expect(await permit(sent, signature)).toMatchObject({ status: 400, body: { errorCode: 'PERMIT_FAILED' } });
    for (const [sent, signature, field] of [
      [post.body, undefined, 'signature'],
      [{ kind: 'claim', requestId: sign.message }, good, 'claim'],
      [{ ...post.body, requestId: 'x' }, good, 'requestId'],
      [{ ...post.body, claim: { ...post.body.claim, chainId: HIDDEN_ID } }, good, 'chainId'],
    ] as const)
      expect(await permit(sent, signature)).toMatchObject({ status: 400, body: { errorData: { field } } });
    const other = await permit({ kind: 'eip3009', requestId: sign.message }, good);
    expect(other).toMatchObject({ status: 400, body: { errorCode: 'INVALID_REQUEST' } });
  });
});
