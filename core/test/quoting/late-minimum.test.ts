import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide } from '../../src/domain/decide.js';
import type { QuoteBody } from '../../src/domain/quote.js';
import { OTHER_TOKEN } from '../api/support/chain-double.js';
import { ask, type RunningApi, runningApi } from '../api/support/running-api.js';

let api: RunningApi;
beforeAll(async () => {
  api = await runningApi();
});
afterAll(() => api.close());

async function bodyOf(change: Readonly<Record<string, unknown>>): Promise<QuoteBody> {
  const reply = await api.call('POST', '/quote/v2', { body: ask({ destinationCurrency: OTHER_TOKEN, ...change }) });
  const row = await api.store.quote(reply.body.steps[0].requestId);
  return JSON.parse(row?.body ?? 'null') as QuoteBody;
}

/** Just past the validity, with output 2 % more expensive. */
function lateAt(quote: QuoteBody) {
  return decide({
    now: quote.expiresAt + 1,
    deposit: {
      chainId: quote.origin.chainId,
      currency: quote.origin.currency,
      amount: BigInt(quote.amountIn),
      depositor: quote.user,
      blockTime: quote.expiresAt + 1,
    },
    quote,
    taken: false,
    givenUp: false,
    lateTerms: { ...quote.terms, outUsd: '1.02' },
    pairNow: null,
    maxRequestMicroUsd: null,
    valueMicroUsd: 1n,
  });
}

describe('a deposit past the validity', () => {
  it('uses the tolerance that the client named for it', async () => {
    const loose = await bodyOf({ slippageTolerance: '10', latePaymentSlippageTolerance: '300' });
    expect(lateAt(loose)).toMatchObject({ kind: 'fill', covers: 100_000_000n, excess: 0n });
    const tight = await bodyOf({ slippageTolerance: '300', latePaymentSlippageTolerance: '10' });
    expect(lateAt(tight)).toMatchObject({ kind: 'refund', reason: 'SLIPPAGE' });
  });

  it('uses the usual tolerance where it named none', async () => {
    expect(lateAt(await bodyOf({ slippageTolerance: '300' }))).toMatchObject({ kind: 'fill' });
    expect(lateAt(await bodyOf({ slippageTolerance: '10' }))).toMatchObject({ kind: 'refund', reason: 'SLIPPAGE' });
  });

  it('of an exact output is never filled short', async () => {
    const quote = await bodyOf({
      tradeType: 'EXACT_OUTPUT',
      amount: (50n * 10n ** 18n).toString(),
      slippageTolerance: '500',
    });
    expect(lateAt(quote)).toMatchObject({ kind: 'refund', reason: 'SLIPPAGE' });
  });
});
