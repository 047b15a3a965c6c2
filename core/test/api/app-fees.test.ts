import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { account } from '../../src/domain/accounts.js';
import { catalogApi, HIDDEN_ID, KEY_WITH_GRANT } from './support/catalog-api.js';
import { address, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import type { RunningApi } from './support/running-api.js';

const WALLET = address('d');
const OTHER = address('e');

let api: RunningApi;

/** Takes app fees out of deposits, as a fill does. */
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

beforeAll(async () => {
  api = await catalogApi();
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

  it('is empty for whom nothing is owed to', async () => {
    expect((await balances(address('1'))).body).toMatchObject({ balances: [], totalBalanceUsd: 0 });
  });

  it('counts what has no price as nothing, and shows it', async () => {
    Reflect.deleteProperty(api.prices, 'usd-coin');
    const { body } = await balances(WALLET);
    expect(body).toMatchObject({ balances: [{ amountUsd: '0' }, {}], totalBalanceUsd: 2 });
  });

  it('tells of private chains to keys that were granted them', async () => {
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

describe('POST /app-fees/{wallet}/claim', () => {
  const body = { chainId: 1, currency: TOKEN, recipient: WALLET };

  it('is not served, and says so', async () => {
    expect(await claim(WALLET, body)).toMatchObject({
      status: 400,
      body: { errorCode: 'UNSUPPORTED_EXECUTION_TYPE', message: 'Claims of app fees are not served', statusCode: 400 },
    });
  });

  it.each([
    ['wallet', 'nobody', body],
    ['amount', WALLET, { ...body, amount: '-1' }],
    ['chainId', WALLET, { ...body, chainId: 'one' }],
  ])('names a bad %s first', async (field, wallet, wrong) => {
    expect(await claim(wallet, wrong)).toMatchObject({
      status: 400,
      body: { errorCode: 'INVALID_REQUEST', errorData: { field } },
    });
  });
});
