import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuoteBody } from '../../src/domain/quote.js';
import { BURN, NATIVE, TOKEN } from './support/chain-double.js';
import { depositOf, fillLegOf, hash, requestOf } from './support/rows.js';
import { ask, RECIPIENT, type RunningApi, runningApi, USER, withKey } from './support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

async function quote(change: Readonly<Record<string, unknown>> = {}, options = {}) {
  const reply = await api.call('POST', '/quote/v2', { body: ask(change), ...options });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body;
}

async function stored(requestId: string) {
  const row = await api.store.quote(requestId as `0x${string}`);
  if (!row) throw new Error('the quote is not in the store');
  return { row, body: JSON.parse(row.body) as QuoteBody };
}

describe('a quote', () => {
  it('is durable when it is answered, with everything the engine needs', async () => {
    const before = Date.now();
    const { steps, protocol } = await quote({ referrer: 'shop', refundTo: BURN }, withKey);
    const { row, body } = await stored(steps[0].requestId);
    expect(row).toMatchObject({
      orderId: protocol.v2.orderId,
      user: USER,
      recipient: RECIPIENT,
      originChainId: 1,
      destinationChainId: 2,
      keyId: 'key-1',
      referrer: 'shop',
      network: 'local',
      parentRequestId: null,
      amountUsd: 100_000_000,
      ttlAt: null,
    });
    expect(row.expiresAt - row.createdAt).toBe(30_000);
    expect(row.createdAt).toBeGreaterThanOrEqual(before);
    expect(row.deadlineAt).toBe(protocol.v2.orderData.output.deadline * 1000);
    expect(row.deadlineAt).toBeGreaterThan(row.expiresAt + 59_000);
    expect(body).toMatchObject({
      version: 1,
      requestId: steps[0].requestId,
      orderId: protocol.v2.orderId,
      requestType: 'Bridge',
      refundTo: BURN,
      refundRecipient: BURN,
      origin: { chainId: 1, currency: TOKEN, symbol: 'USDC', decimals: 6 },
      amountIn: '100000000',
      forceRefund: false,
      order: protocol.v2.orderData,
    });
  });

  it('charges gas, service and nothing else, to the unit', async () => {
    const { fees, details } = await quote();
    // Fill 0.0001 + collect 0.00005 native at 2000 USD; 5 bps of 100, above the floor of 0.01.
    expect(fees.relayerGas).toMatchObject({ amount: '300000', amountFormatted: '0.3', amountUsd: '0.300000' });
    expect(fees.relayerService.amount).toBe('50000');
    expect(fees.relayer.amount).toBe('350000');
    expect(fees.gas).toMatchObject({ amount: '60000000000000', currency: { address: NATIVE, decimals: 18 } });
    expect(fees.app.amount).toBe('0');
    expect(fees.subsidized.amount).toBe('0');
    expect(details.currencyIn.amount).toBe('100000000');
    expect(details.currencyOut).toMatchObject({
      amount: '99650000',
      minimumAmount: '99151750',
      amountUsd: '99.650000',
    });
    expect(details.totalImpact).toEqual({ usd: '-0.350000', percent: '-0.35' });
  });

  it('reports until when its price holds, and when its order ends', async () => {
    const before = Date.now();
    const { details, protocol, steps } = await quote();
    const after = Date.now();
    const { quoteValidityMs } = api.a.adapter.facts;
    expect(details.expiresAt).toBeGreaterThanOrEqual(before + quoteValidityMs);
    expect(details.expiresAt).toBeLessThanOrEqual(after + quoteValidityMs);
    expect(details.deadlineAt).toBe(protocol.v2.orderData.output.deadline * 1_000);
    const { row } = await stored(steps[0].requestId);
    expect(row).toMatchObject({ expiresAt: details.expiresAt, deadlineAt: details.deadlineAt });
  });

  it('ends at the ttl that was asked for, where that is sooner', async () => {
    const { details, steps } = await quote({ ttl: 7 });
    const { row } = await stored(steps[0].requestId);
    expect(row.expiresAt).toBeGreaterThan(row.createdAt + 7_000);
    expect(details).toMatchObject({ deadlineAt: row.createdAt + 7_000, expiresAt: row.createdAt + 7_000 });
    const late = await quote({ ttl: 1_000_000 });
    expect(late.details.deadlineAt).toBe(late.protocol.v2.orderData.output.deadline * 1_000);
  });

  it('takes the floor of the service fee, and the fee of the first matching route', async () => {
    expect((await quote({ amount: '10000000' })).fees.relayerService.amount).toBe('10000');
    const back = await quote({ originChainId: 2, destinationChainId: 1 });
    expect(back.fees.relayerService.amount).toBe('100000');
  });

  it('has the whole shape of the interface', async () => {
    const { steps, fees, details, protocol } = await quote({ slippageTolerance: '100' });
    expect(Object.keys(fees)).toEqual(['gas', 'relayer', 'relayerGas', 'relayerService', 'app', 'subsidized']);
    for (const amount of [...Object.values(fees), details.currencyIn, details.currencyOut, details.refundCurrency]) {
      expect(amount).toEqual({
        currency: {
          chainId: expect.any(Number),
          address: expect.any(String),
          symbol: expect.any(String),
          name: expect.any(String),
          decimals: expect.any(Number),
          metadata: { logoURI: expect.any(String), verified: true, isNative: expect.any(Boolean) },
        },
        amount: expect.stringMatching(/^\d+$/),
        amountFormatted: expect.stringMatching(/^\d+(\.\d+)?$/),
        amountUsd: expect.stringMatching(/^\d+\.\d{6}$/),
        minimumAmount: expect.stringMatching(/^\d+$/),
      });
    }
    expect(details).toMatchObject({
      operation: 'bridge',
      sender: USER,
      recipient: RECIPIENT,
      swapImpact: { usd: '0.000000', percent: '0.00' },
      rate: '0.9965',
      timeEstimate: 2,
      isFixedRate: false,
      slippageTolerance: {
        total: '100',
        origin: { usd: '0.000000', value: '0', percent: '0.00' },
        destination: { usd: '0.996500', value: '996500', percent: '1.00' },
      },
      route: {
        origin: { inputCurrency: details.currencyIn, outputCurrency: details.currencyIn, router: 'relay' },
        destination: { inputCurrency: details.currencyOut, outputCurrency: details.currencyOut, router: 'relay' },
      },
    });
    expect(details).not.toHaveProperty('userBalance');
    expect(protocol.v2).toMatchObject({
      hubType: 'onchain',
      paymentDetails: { chainId: 'alpha', currency: TOKEN, amount: '100000000' },
      orderData: {
        version: 'v1',
        solverChainId: 'alpha',
        solver: api.solver,
        inputs: [
          {
            payment: { chainId: 'alpha', currency: TOKEN, amount: '100000000', weight: '1' },
            refunds: [{ chainId: 'alpha', recipient: USER, currency: TOKEN }],
          },
        ],
        output: {
          chainId: 'beta',
          payments: [{ recipient: RECIPIENT, currency: TOKEN, minimumAmount: '98653500', expectedAmount: '99650000' }],
          calls: [],
        },
        fees: [],
      },
    });
    expect(protocol.v2).not.toHaveProperty('orderSignature');
    expect(steps.map((step: { id: string }) => step.id)).toEqual(['approve', 'deposit']);
  });

  it('prices another asset by its price, and calls it a swap', async () => {
    const { details, fees } = await quote({ originCurrency: NATIVE, amount: '100000000000000000', user: USER });
    expect(details.operation).toBe('swap');
    expect(fees.relayerGas.amount).toBe('150000000000000');
    // 0.1 less gas 0.00015 less 5 bps, at 2000 USD.
    expect(details.currencyOut.amount).toBe('199600000');
    const { body } = await stored(
      (await quote({ originCurrency: NATIVE, amount: '100000000000000000' })).steps[0].requestId,
    );
    expect(body.requestType).toBe('Crosschain Swap');
  });
});

describe('the estimate of time', () => {
  it('comes from fills that were observed, once there are enough', async () => {
    expect((await quote()).details.timeEstimate).toBe(2);
    for (const n of [1, 2, 3, 4, 5]) {
      const fundingKey = `1:${hash(n)}:0`;
      const request = await requestOf(api, {}, { status: 'success', fundingKey });
      await depositOf(api, request, n);
      await fillLegOf(api, request, 1 + n * 3_000);
    }
    api.clock.offset += 30_000;
    const estimate = async () => (await quote()).details.timeEstimate;
    await expect.poll(estimate).toBe(12);
    expect((await quote({ originChainId: 2, destinationChainId: 1 })).details.timeEstimate).toBe(2);
  });
});

describe('trade types', () => {
  it('EXACT_OUTPUT delivers what was asked and never less', async () => {
    const { details, protocol, steps } = await quote({ tradeType: 'EXACT_OUTPUT', amount: '50000000' });
    expect(details.currencyOut).toMatchObject({ amount: '50000000', minimumAmount: '50000000' });
    expect(BigInt(details.currencyIn.amount)).toBe(50_325_163n);
    expect(protocol.v2.orderData.inputs[0].payment.amount).toBe(details.currencyIn.amount);
    expect((await stored(steps[0].requestId)).body.minimumAmount).toBe('50000000');
  });

  it('EXPECTED_OUTPUT aims at what was asked and tolerates slippage', async () => {
    const { details } = await quote({ tradeType: 'EXPECTED_OUTPUT', amount: '50000000', slippageTolerance: '200' });
    expect(details.currencyOut).toMatchObject({ amount: '50000000', minimumAmount: '49000000' });
  });
});

describe('what a client may choose', () => {
  it('recipient, refundTo and slippage have defaults', async () => {
    const { details, protocol, steps } = await quote({ recipient: undefined });
    expect(details.recipient).toBe(USER);
    expect(details.slippageTolerance.total).toBe('50');
    expect(protocol.v2.orderData.inputs[0].refunds[0].recipient).toBe(USER);
    const { body } = await stored(steps[0].requestId);
    expect(body).toMatchObject({ refundTo: null, refundRecipient: USER });
  });

  it('the native sentinel as refundTo means the depositor and never burns a refund', async () => {
    const { steps } = await quote({ refundTo: NATIVE });
    expect((await stored(steps[0].requestId)).body).toMatchObject({ refundTo: null, refundRecipient: USER });
  });

  it('an omitted recipient is not revalidated, even where the user is a token contract', async () => {
    expect((await quote({ user: TOKEN, recipient: undefined })).details.recipient).toBe(TOKEN);
  });

  it('ttl counts seconds from the quote', async () => {
    const { steps } = await quote({ ttl: 5 });
    const { row, body } = await stored(steps[0].requestId);
    expect(row.ttlAt).toBe(row.createdAt + 5_000);
    expect(body.ttlAt).toBe(row.ttlAt);
  });

  it('latePaymentSlippageTolerance gives late deposits a minimum of their own', async () => {
    const { steps, protocol } = await quote({ slippageTolerance: '10', latePaymentSlippageTolerance: '1000' });
    const { body } = await stored(steps[0].requestId);
    expect(body).toMatchObject({ minimumAmount: '99550350', lateMinimumAmount: '89685000' });
    expect(protocol.v2.orderData.output.payments[0].minimumAmount).toBe('89685000');
  });

  it('app fees go to their recipients by basis points', async () => {
    const { fees, details, steps } = await quote({
      appFees: [
        { recipient: USER, fee: '100' },
        { recipient: BURN, fee: 25 },
      ],
    });
    expect(fees.app.amount).toBe('1250000');
    expect(details.currencyOut.amount).toBe('98400000');
    const { body } = await stored(steps[0].requestId);
    expect(body.terms.appFees).toEqual([
      { recipient: USER, bps: 100 },
      { recipient: BURN, bps: 25 },
    ]);
    expect(body.features).toEqual(['app_fees']);
  });

  it('includeProtocolData adds a signature of 65 bytes over the order id', async () => {
    const { protocol, steps } = await quote({ includeProtocolData: true });
    expect(protocol.v2.orderSignature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
    expect((await stored(steps[0].requestId)).body.orderSignature).toBe(protocol.v2.orderSignature);
  });

  it('debug-force-refund forces a refund here, on a local network', async () => {
    const { steps } = await quote({ referrer: 'debug-force-refund' });
    expect((await stored(steps[0].requestId)).body.forceRefund).toBe(true);
  });
});

it('is counted by its result, and by nothing that a client chooses', async () => {
  const counted: unknown[] = [];
  const quiet = () => undefined;
  const count = (name: string, _help: string, labels: unknown) => void counted.push([name, labels]);
  const own = await runningApi({ metrics: { count, gauge: quiet, observe: quiet } });
  try {
    await own.call('POST', '/quote/v2', { body: ask() });
    await own.call('POST', '/quote/v2', { body: ask({ amount: '1' }) });
    await own.call('POST', '/quote/v2', { body: ask({ originChainId: 987654 }) });
    const results = counted.filter((one) => (one as [string])[0] === 'quotes');
    expect(results).toEqual([
      ['quotes', { result: 'ok' }],
      ['quotes', { result: 'AMOUNT_TOO_LOW' }],
      ['quotes', { result: 'UNSUPPORTED_CHAIN' }],
    ]);
  } finally {
    await own.close();
  }
});
