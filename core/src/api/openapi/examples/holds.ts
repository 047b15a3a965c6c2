import type { Examples } from './example.js';
import { DEPOSIT_HASH, NATIVE, REQUEST_ID, USER } from './shared.js';

const FUNDING = `31337:${DEPOSIT_HASH}:0`;
const RECIPIENT = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const HOLD = {
  id: `hold:refund:${FUNDING}:4`,
  transactionHash: DEPOSIT_HASH,
  chainId: 31_337,
  currency: NATIVE,
  amount: '1000000000000000000',
  reason: 'MANUAL_REFUND_REQUIRED',
  state: 'open',
  depositor: USER,
  claimable: true,
};

const MESSAGE = `Pay back a transfer that is held.

Service: 0xc8005fa5bdd02b6cc3e63a49e35b457371d31575
Hold: ${HOLD.id}
Chain: 31337
Transaction: ${DEPOSIT_HASH}
Transfer: ${FUNDING}
Currency: ${NATIVE}
Amount: ${HOLD.amount} (smallest unit, less the network fee)
Recipient: ${RECIPIENT}`;

export const HOLD_EXAMPLES: Examples = {
  holds: { parameters: { hash: DEPOSIT_HASH }, answer: { holds: [HOLD] } },
  hold: { parameters: { id: HOLD.id, recipient: RECIPIENT }, answer: { hold: HOLD, message: MESSAGE } },
  releaseHold: {
    parameters: { id: HOLD.id },
    body: { recipient: RECIPIENT, signature: `0x${'5e'.repeat(64)}1b` },
    answer: {
      state: 'owed',
      message: `${HOLD.amount} less the network fee is owed to ${RECIPIENT}`,
      requestId: REQUEST_ID,
    },
  },
};
