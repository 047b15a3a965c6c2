import { describe, expect, it } from 'vitest';
import { type Claim, claimMessage } from '../../src/domain/claim-message.js';

const CLAIM: Claim = {
  service: '0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',
  holdId: 'hold:refund:8453:0xabc:0:4',
  chainId: 8453,
  transactionHash: '0xabc',
  fundingKey: '8453:0xabc:0',
  currency: '0x0000000000000000000000000000000000000000',
  amount: 1_500_000_000_000_000_000n,
  recipient: '0x1111111111111111111111111111111111111111',
};

describe('what a depositor signs', () => {
  it('is this text, for ever', () => {
    expect(claimMessage(CLAIM)).toBe(`Pay back a transfer that is held.

Service: 0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e
Hold: hold:refund:8453:0xabc:0:4
Chain: 8453
Transaction: 0xabc
Transfer: 8453:0xabc:0
Currency: 0x0000000000000000000000000000000000000000
Amount: 1500000000000000000 (smallest unit, less the network fee)
Recipient: 0x1111111111111111111111111111111111111111`);
  });

  it('differs as soon as anything does', () => {
    const others: readonly Partial<Claim>[] = [
      { service: '0x5f' },
      { holdId: 'hold:refund:8453:0xabc:0:5' },
      { chainId: 1 },
      { transactionHash: '0xabd' },
      { fundingKey: '8453:0xabc:1' },
      { currency: '0x01' },
      { amount: 1n },
      { recipient: '0x12' },
    ];
    const texts = [{}, ...others].map((other) => claimMessage({ ...CLAIM, ...other }));
    expect(new Set(texts).size).toBe(1 + Object.keys(CLAIM).length);
  });

  it.each(['', 'a b', 'a\nRecipient: b', 'a\r', 'ａ', '\0'])('is never made of %j, which is no word', (value) => {
    for (const field of ['service', 'holdId', 'transactionHash', 'fundingKey', 'currency', 'recipient'])
      expect(() => claimMessage({ ...CLAIM, [field]: value }), field).toThrow(TypeError);
  });
});
