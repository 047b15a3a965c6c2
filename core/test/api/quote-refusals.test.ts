import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { address, BURN, CHECKED_TOKEN, NATIVE, OTHER_TOKEN, TOKEN } from './support/chain-double.js';
import { ask, type RunningApi, runningApi, USER } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterEach(() => api.reset());
afterAll(() => api.close());

const CENT_OF_SWAP = { destinationChainId: 1, destinationCurrency: OTHER_TOKEN };

describe.each(['/quote/v2', '/quote', '/price'])('POST %s', (path) => {
  const post = (change: Readonly<Record<string, unknown>>) => api.call('POST', path, { body: ask(change) });

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

  it('asks no chain for payers of previews', async () => {
    const preview = { user: BURN, recipient: BURN, originCurrency: NATIVE, amount: '10000000000000000' };
    expect((await post({ ...preview, destinationCurrency: CHECKED_TOKEN })).status).toBe(200);
  });
});
