import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/errors/catalogue.js';
import { address, BURN, CHECKED_TOKEN, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import { ask, type RunningApi, runningApi, USER } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

interface Row {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retriable: boolean;
  readonly condition: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly given?: (api: RunningApi) => void;
  readonly message?: string;
}

const CENT_OF_SWAP = { destinationChainId: 1, destinationCurrency: OTHER_TOKEN };

/** Refusals in the order of the interface. Statuses that it leaves open are decided here. */
const TABLE: readonly Row[] = [
  {
    code: 'INVALID_ADDRESS',
    status: 400,
    retriable: false,
    condition: 'an explicit recipient is no address of the destination chain',
    body: { recipient: '0x12' },
  },
  {
    code: 'INVALID_RECIPIENT',
    status: 400,
    retriable: false,
    condition: 'an explicit recipient is a supported token contract',
    body: { recipient: OTHER_TOKEN },
  },
  {
    code: 'INVALID_SLIPPAGE_TOLERANCE',
    status: 400,
    retriable: false,
    condition: 'slippageTolerance is no integer string from 0 to 10000',
    body: { slippageTolerance: '0.5' },
  },
  {
    code: 'INVALID_SLIPPAGE_TOLERANCE',
    status: 400,
    retriable: false,
    condition: 'latePaymentSlippageTolerance is no integer string from 0 to 10000',
    body: { latePaymentSlippageTolerance: '10001' },
  },
  {
    code: 'AMOUNT_TOO_LOW',
    status: 400,
    retriable: false,
    condition: 'a swap on one chain is worth more than 0 and less than 0.05 USD',
    body: { ...CENT_OF_SWAP, amount: '49999' },
  },
  {
    code: 'SOLANA_TX_TOO_LARGE',
    status: 400,
    retriable: false,
    condition: 'the compiled deposit transaction is larger than its chain takes',
    body: {},
    given: ({ a }) => {
      a.state.oversize = { bytes: 1_247, limit: 1_232 };
    },
    message: 'The deposit transaction has 1247 bytes, 15 more than the limit of 1232',
  },
  {
    code: 'DESTINATION_TX_FAILED',
    status: 400,
    retriable: false,
    condition: 'the token contract rejects a blocklisted recipient',
    body: { destinationCurrency: CHECKED_TOKEN },
    given: ({ b }) => {
      b.state.check = async () => ({
        ok: false,
        kind: 'refused',
        reason: 'DESTINATION_TOKEN_TRANSFER_REJECTED',
        message: 'blocked',
      });
    },
    message: 'The recipient cannot receive this token: blocked',
  },
  {
    code: 'REQUEST_TIMED_OUT',
    status: 503,
    retriable: true,
    condition: 'an upstream does not answer in time',
    body: { destinationCurrency: CHECKED_TOKEN },
    given: ({ b }) => {
      b.state.check = () => new Promise(() => undefined);
    },
  },
  {
    code: 'RPC_HTTP_ERROR',
    status: 503,
    retriable: true,
    condition: 'an upstream RPC fails otherwise',
    body: { destinationCurrency: CHECKED_TOKEN },
    given: ({ b }) => {
      b.state.check = async () => ({ ok: false, kind: 'unavailable', reason: 'UNKNOWN', message: 'no answer' });
    },
  },
  {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    retriable: true,
    condition: 'no provider of a chain answers',
    body: {},
    given: ({ b }) => {
      b.state.healthy = false;
    },
  },
  {
    code: 'PRICE_FETCH_FAILED',
    status: 503,
    retriable: true,
    condition: 'a price is too old',
    body: {},
    given: ({ prices }) => {
      prices['usd-coin'] = 'stale';
    },
  },
  {
    code: 'UNSUPPORTED_CURRENCY',
    status: 400,
    retriable: false,
    condition: 'the pair cannot be priced',
    body: { destinationCurrency: OTHER_TOKEN },
    given: ({ prices }) => {
      delete prices['dai'];
    },
  },
  {
    code: 'UNKNOWN_ERROR',
    status: 500,
    retriable: false,
    condition: 'something failed that nobody classified',
    body: { destinationCurrency: CHECKED_TOKEN },
    given: ({ b }) => {
      b.state.check = () => Promise.reject(new Error('secret detail'));
    },
    message: 'An unexpected error occurred',
  },
];

describe.each(['/quote/v2', '/quote', '/price'])('POST %s', (path) => {
  const post = (change: Readonly<Record<string, unknown>>) => api.call('POST', path, { body: ask(change) });

  it.each(TABLE)('$code: $condition', async ({ code, status, retriable, body, given, message }) => {
    given?.(api);
    const reply = await post(body);
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({
      errorCode: code,
      statusCode: status,
      retriable,
      message: message ?? expect.stringMatching(/./),
    });
    expect(reply.headers.get('content-type')).toContain('application/json');
  });

  it('refuses for the earliest row of the table that applies', async () => {
    const wrong = { recipient: 'nobody', slippageTolerance: 'much', ...CENT_OF_SWAP, amount: '49999' };
    const codeOf = async (change: Readonly<Record<string, unknown>>) => (await post(change)).body.errorCode;
    expect(await codeOf(wrong)).toBe('INVALID_ADDRESS');
    expect(await codeOf({ ...wrong, recipient: TOKEN })).toBe('INVALID_RECIPIENT');
    expect(await codeOf({ ...wrong, recipient: USER })).toBe('INVALID_SLIPPAGE_TOLERANCE');
    expect(await codeOf({ ...wrong, recipient: USER, slippageTolerance: '1' })).toBe('AMOUNT_TOO_LOW');
    api.b.state.healthy = false;
    api.prices['usd-coin'] = 'stale';
    expect(await codeOf({ destinationCurrency: address('9') })).toBe('UNSUPPORTED_CURRENCY');
    expect(await codeOf({})).toBe('SERVICE_UNAVAILABLE');
    api.b.state.healthy = true;
    delete api.prices['dai'];
    expect(await codeOf({ destinationCurrency: OTHER_TOKEN })).toBe('PRICE_FETCH_FAILED');
  });

  it('exempts sending, wrapping, worthless and larger amounts from the least value of a swap', async () => {
    const refusal = async (change: Readonly<Record<string, unknown>>) =>
      String((await post({ ...CENT_OF_SWAP, ...change })).body.message);
    expect(await refusal({ amount: '1' })).toContain('0.05 USD');
    expect(await refusal({ amount: '49999999999999999', tradeType: 'EXACT_OUTPUT' })).toContain('0.05 USD');
    for (const change of [
      { amount: '50000' },
      { amount: '0' },
      { amount: '1', destinationCurrency: TOKEN },
      { amount: '50000000000000000', tradeType: 'EXACT_OUTPUT' },
    ]) {
      expect(await refusal(change), JSON.stringify(change)).not.toContain('0.05 USD');
    }
  });

  it('does not look at an omitted recipient again', async () => {
    expect((await post({ user: TOKEN, recipient: undefined })).status).toBe(200);
  });

  it('asks no chain for payers of previews', async () => {
    const preview = { user: BURN, recipient: BURN, originCurrency: NATIVE, amount: '10000000000000000' };
    expect((await post({ ...preview, destinationCurrency: CHECKED_TOKEN })).status).toBe(200);
  });
});
