import { describe, expect, it } from 'vitest';
import type { QuoteAsk } from '../../src/quoting/ask.js';
import { refuseUnsupported } from '../../src/quoting/unsupported.js';

const ASK: QuoteAsk = {
  user: 'payer',
  originChainId: 1,
  destinationChainId: 2,
  originCurrency: 'a',
  destinationCurrency: 'b',
  amount: '1',
  tradeType: 'EXACT_INPUT',
};

/** Of an origin without a source of payers' outputs, which serves all else. */
const refused = (ask: Partial<QuoteAsk>) =>
  refuseUnsupported(
    { ...ASK, ...ask },
    {} as Parameters<typeof refuseUnsupported>[1],
    (field) => field !== 'originChainId',
  );

describe('an origin that cannot find the outputs of payers', () => {
  it('serves no transactions to sign', () => {
    const refusal = refused({});
    expect(refusal?.code).toBe('UNSUPPORTED_EXECUTION_TYPE');
    expect(refusal?.message).toMatch(/^Transactions to sign from this chain are not served/);
  });

  it('serves deposit addresses, which any wallet pays', () => {
    expect(refused({ useDepositAddress: true })).toBeUndefined();
  });
});
