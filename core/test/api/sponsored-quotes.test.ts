import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counter } from '../../src/domain/accounts.js';
import type { CallPromise, QuoteBody } from '../../src/domain/quote.js';
import { TOKEN } from './support/chain-double.js';
import { requestOfQuote } from './support/rows.js';
import { ask, POLICY, RECIPIENT, type RunningApi, runningApi, withKey } from './support/running-api.js';
import { addSponsor } from './support/sponsor.js';

let api: RunningApi;
let unlinked: RunningApi;
beforeAll(async () => {
  const policy = { ...POLICY, balanceCurrencies: new Map([[1, [TOKEN]]]) };
  [api, unlinked] = await Promise.all([runningApi({ policy }), runningApi()]);
  await addSponsor(api);
  await addSponsor(unlinked, false);
});
afterAll(() => Promise.all([api.close(), unlinked.close()]));

type Change = Readonly<Record<string, unknown>>;
const reply = (change: Change, options: object = withKey, on = api) =>
  on.call('POST', '/quote/v2', { body: ask(change), ...options });
async function quote(change: Change = {}) {
  const { status, body } = await reply(change);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
const amount = (view: { readonly amount: string }) => BigInt(view.amount);
const out = (body: { readonly details: { readonly currencyOut: { readonly amount: string } } }) =>
  amount(body.details.currencyOut);
const PAID = { subsidizeFees: true };
const APP = { appFees: [{ recipient: RECIPIENT, fee: '10' }] };

describe('a sponsored quote', () => {
  it('delivers what is left without the fees, and says who pays what', async () => {
    const [plain, paid] = [await quote(APP), await quote({ ...APP, ...PAID })];
    const { gas: _, ...fees } = paid.fees;
    const whole = amount(fees.relayerGas) + amount(fees.relayerService) + amount(fees.app);
    expect(amount(fees.subsidized)).toBe(whole);
    expect(fees.relayer).toEqual(plain.fees.relayer);
    expect(out(paid)).toBe(100_000_000n);
    expect(out(paid) - out(plain)).toBe(whole);
    expect(plain).not.toHaveProperty('feeSponsorship');
    const { quoted } = paid.feeSponsorship;
    expect(quoted).toMatchObject({
      selectedComponents: ['execution', 'swap', 'relay', 'app'],
      capHit: false,
      components: {
        execution: { selected: true, total: fees.relayerGas, sponsored: fees.relayerGas, userPays: { amount: '0' } },
        relay: { selected: true, sponsored: { amount: fees.relayerService.amount } },
        app: { sponsored: { amount: '100000' } },
        rent: { selected: false, total: { amount: '0' } },
      },
      sponsoredTotal: { amount: whole.toString() },
      userPaysTotal: { amount: '0' },
    });
    expect(paid.details.expandedPriceImpact.sponsored.usd).toBe(fees.subsidized.amountUsd);
    expect(await api.store.pot(counter.available('integrator-1'))).toBe(1_000_000n);
  });

  it('asks less for an exact output', async () => {
    const exact = { tradeType: 'EXACT_OUTPUT', amount: '50000000' };
    const [plain, paid] = [await quote(exact), await quote({ ...exact, ...PAID })];
    expect(amount(paid.details.currencyIn)).toBe(50_000_000n);
    expect(amount(plain.details.currencyIn)).toBeGreaterThan(50_000_000n);
  });

  it('sponsors the named fees alone, under either name, up to the cap', async () => {
    for (const name of ['relay', 'platform']) {
      const { fees, feeSponsorship } = await quote({ ...PAID, sponsoredFeeComponents: [name] });
      expect(fees.subsidized.amount).toBe(fees.relayerService.amount);
      expect(feeSponsorship.quoted.selectedComponents).toEqual(['relay']);
      expect(feeSponsorship.quoted.userPaysTotal.amount).toBe(fees.relayerGas.amount);
    }
    const { fees, feeSponsorship, details } = await quote({ ...PAID, maxSubsidizationAmount: '2000' });
    expect(fees.subsidized.amount).toBe('2000');
    expect(feeSponsorship.quoted).toMatchObject({
      capHit: true,
      maxSubsidizationAmount: '2000',
      sponsoredTotal: { amountUsd: '0.002000' },
    });
    expect(amount(details.currencyOut)).toBe(100_000_000n - amount(fees.relayer) + 2_000n);
    const none = await quote({ ...PAID, maxSubsidizationAmount: '0' });
    expect(none.fees.subsidized.amount).toBe('0');
  });

  it('is priced alike', async () => {
    const { body } = await api.call('POST', '/price', { body: ask(PAID), ...withKey });
    expect(out(body)).toBe(100_000_000n);
  });

  it('pays the rent alone where only that is asked for', async () => {
    expect((await quote({ subsidizeRent: true })).feeSponsorship.quoted.selectedComponents).toEqual(['rent']);
  });

  it('keeps its frozen terms, under which less arriving is sponsored less', async () => {
    const { steps } = await quote(PAID);
    const row = await api.store.quote(steps[0].requestId);
    const { terms, sponsor } = JSON.parse(row?.body ?? '') as QuoteBody;
    expect(sponsor).toMatchObject({ integratorId: 'integrator-1', quoted: { units: terms.sponsor?.most } });
    expect(sponsor?.counters.map(({ account }) => account)[0]).toMatch(/^#sponsored:key-1:\d{4}-\d\d-\d\d$/);
    // By these the key is asked again when the deposit came.
    expect(sponsor?.keyId).toBe('key-1');
    expect(sponsor?.calls).toEqual([{ chainId: 2, to: RECIPIENT, data: '0x' }]);
  });
});

describe('a sponsored quote is refused', () => {
  it.each<[string, number, string, Change]>([
    ['nothing is named', 400, 'INVALID_REQUEST', { ...PAID, sponsoredFeeComponents: [] }],
    [
      'the balance is too low',
      400,
      'SPONSOR_BALANCE_TOO_LOW',
      { ...PAID, appFees: [{ recipient: RECIPIENT, fee: '500' }] },
    ],
    ['the cap is no number', 400, 'INVALID_REQUEST', { ...PAID, maxSubsidizationAmount: '1.5' }],
  ])('where %s', async (_, status, errorCode, change) => {
    expect(await reply(change)).toMatchObject({ status, body: { errorCode } });
  });

  it('where the balance is too low, with what it would take', async () => {
    const { body } = await reply({ ...PAID, appFees: [{ recipient: RECIPIENT, fee: '500' }] });
    const { required } = body.errorData;
    expect(BigInt(required)).toBeGreaterThan(5_000_000n);
    expect(body.message).toMatch(/does not cover the fees, 5\.\d{6} USD$/);
  });

  it('without a key, and without a linked address', async () => {
    expect(await reply(PAID, {})).toMatchObject({ status: 401, body: { errorCode: 'UNAUTHORIZED' } });
    expect(await reply(PAID, withKey, unlinked)).toMatchObject({ status: 403, body: { errorCode: 'FORBIDDEN' } });
  });

  it('by the policy of the key', async () => {
    const policy = JSON.stringify({ maxPerCall: '1000', targets: [{ chainId: 2, address: RECIPIENT }] });
    const row = { id: 'key-1', version: 1, policy, updatedAt: 1 };
    await api.store.apply({ name: 'test.policy', changes: [{ op: 'insert', table: 'sponsorPolicies', row }] });
    expect(await reply(PAID)).toMatchObject({ status: 403, body: { errorData: { rule: 'maxPerCall' } } });
    expect(await reply({ ...PAID, maxSubsidizationAmount: '999' })).toMatchObject({ status: 200 });
    const elsewhere = { ...PAID, maxSubsidizationAmount: '1', recipient: `0x${'9'.repeat(40)}` };
    expect(await reply(elsewhere)).toMatchObject({ status: 403, body: { errorData: { rule: 'targets' } } });
    const update = { op: 'update', table: 'sponsorPolicies', key: { id: 'key-1' }, version: 1, set: { policy: '{}' } };
    await api.store.apply({ name: 'test.policy', changes: [update as never] });
  });
});

describe('a record', () => {
  /** Of an order that was filled. */
  async function shown(body: QuoteBody, sponsor: object | undefined, path = '/requests/v3', on = api) {
    const requestId = (await quote({ ...PAID, ...APP })).steps[0].requestId;
    const { id } = await requestOfQuote(on, requestId, {
      status: 'success',
      actual: JSON.stringify({ amountIn: body.amountIn, amountOut: '1' }),
      body: JSON.stringify({ ...body, requestId, sponsor }),
    });
    const { requests } = (await on.call('GET', `${path}?id=${id}`, withKey)).body;
    return requests[0].data;
  }
  async function bodyOf(change: Change): Promise<QuoteBody> {
    const { steps } = await quote({ ...PAID, ...APP, ...change });
    return JSON.parse((await api.store.quote(steps[0].requestId))?.body ?? '') as QuoteBody;
  }
  const settled = ({ sponsor }: QuoteBody) => ({ ...sponsor, reservations: 1, settled: sponsor?.quoted });

  it('shows what the balance paid, to the unit, once it did', async () => {
    const body = await bodyOf({});
    const paid = body.sponsor?.quoted.units;
    const data = await shown(body, settled(body));
    const { sponsorPayment, ...actual } = data.feeSponsorship.actual;
    expect(sponsorPayment).toEqual({ amount: paid, address: TOKEN, chainId: 1 });
    expect(actual).toEqual(data.feeSponsorship.quoted);
    expect(actual).toMatchObject({
      selectedComponents: ['execution', 'swap', 'platform', 'app'],
      sponsoredTotal: { amount: paid },
      userPaysTotal: { amount: '0' },
    });
    expect(data.fees.actual.sponsored.amount).toBe(paid);
    const dropped = (await shown(body, { ...body.sponsor, dropped: true })).feeSponsorship;
    expect(dropped.quoted.sponsoredTotal.amount).toBe(paid);
    expect(dropped.actual).toMatchObject({ sponsoredTotal: { amount: '0' }, capHit: false });
    expect(dropped.actual).not.toHaveProperty('sponsorPayment');
    expect(dropped.actual.userPaysTotal.amount).toBe(paid);
  });

  it('shows that the cap limited what was paid, only where it did', async () => {
    const body = await bodyOf({ maxSubsidizationAmount: '2000' });
    expect((await shown(body, settled(body))).feeSponsorship.actual).toMatchObject({
      ...{ capHit: true, maxSubsidizationAmount: '2000', sponsoredTotal: { amount: '2000' } },
      sponsorPayment: { amount: '2000' },
    });
    const high = await bodyOf({ maxSubsidizationAmount: '100000000' });
    const less = { ...settled(high), settled: { units: '1', microUsd: '1' } };
    expect((await shown(high, less)).feeSponsorship.actual).toMatchObject({ capHit: false });
    const unsettled = await shown(body, body.sponsor);
    expect(unsettled.feeSponsorship).toMatchObject({ quoted: { capHit: true }, actual: { capHit: false } });
  });

  it('shows what failed fills and the call of its deposit took, too', async () => {
    const body = await bodyOf({});
    const call = { fee: '7', settled: { units: '7', microUsd: '30' } } as CallPromise;
    const { sponsorPayment } = (await shown({ ...body, call }, { ...body.sponsor, burnt: '500' })).feeSponsorship
      .actual;
    expect(sponsorPayment).toMatchObject({ amount: '530' });
  });

  it('shows no payment for a child, whose terms repeat those of its parent', async () => {
    const body = await bodyOf({});
    const requestId = (await quote({ ...PAID, ...APP })).steps[0].requestId;
    const { id } = await requestOfQuote(api, requestId, {
      status: 'success',
      actual: JSON.stringify({ amountIn: body.amountIn, amountOut: '1' }),
      body: JSON.stringify({ ...body, sponsor: settled(body) }),
    });
    expect(body.requestId).not.toBe(id);
    const { requests } = (await api.call('GET', `/requests/v3?id=${id}`, withKey)).body;
    expect(requests[0].data.feeSponsorship.actual).not.toHaveProperty('sponsorPayment');
  });

  it('has the names of its listing', async () => {
    const body = await bodyOf({});
    const { quoted, actual } = (await shown(body, settled(body), '/requests/v2')).feeSponsorship;
    for (const side of [quoted, actual]) {
      expect(side.selectedComponents).toEqual(['execution', 'swap', 'relay', 'app']);
      expect(Object.keys(side.components).sort()).toEqual(['app', 'execution', 'relay', 'rent', 'swap']);
    }
  });
});
