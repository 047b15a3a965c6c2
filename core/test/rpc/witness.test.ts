import { expect, it } from 'vitest';
import type { Sighting } from '../../src/contract/deposits.js';
import { reports } from '../../src/rpc/witness.js';

const sighting: Sighting = {
  ...{ fundingKey: '1:a:0', transactionHash: 'a', currency: 'coin', amount: 5n, depositor: 'payer', orderId: null },
  ...{ block: { height: 1, id: 'b' }, providers: 2 },
};
const sentBy = { account: 'payer', nonce: '7' };

it('a provider confirms the sender of a transfer where something rests on it', () => {
  const asked = { ...sighting, sentBy };
  expect(reports([{ ...sighting, sentBy }], asked)).toBe(true);
  for (const other of [undefined, { ...sentBy, nonce: '8' }, { ...sentBy, account: 'stranger' }])
    expect(reports([{ ...sighting, ...(other === undefined ? {} : { sentBy: other }) }], asked)).toBe(false);
  expect(reports([{ ...sighting, sentBy }], sighting)).toBe(true);
});
