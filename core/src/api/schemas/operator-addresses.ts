import { flag, integer, list, named, nullable, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, REQUEST_ID, UNITS, UNIX_MS } from './common.js';

export const ADDRESS_NAME = {
  address: text({ minLength: 1, maxLength: 256, description: 'The deposit address, as its chain writes it.' }),
  requestId: text({
    minLength: 1,
    maxLength: 256,
    description: 'Instead of the address: the request that it was created for, or the request of a transfer to it.',
  }),
  chainId: CHAIN_ID,
};

const ADDRESS = {
  chainId: CHAIN_ID,
  address: text(),
  type: oneOf(['strict', 'open']),
  requestId: REQUEST_ID,
  keyId: nullable(text({ description: 'API key that requested it; null: none.' })),
  createdAt: UNIX_MS,
  hotUntil: UNIX_MS,
  hot: flag({ description: 'Polled with every block; otherwise hourly.' }),
};

export const ADDRESS_PAGE = named(
  'OperatorDepositAddresses',
  object(
    {
      addresses: list(
        object({
          ...ADDRESS,
          transfers: integer({ minimum: 0, description: 'Number of transfers on the chain.' }),
          unswept: list(object({ currency: text(), amount: UNITS }), {
            description: 'Amounts at the address that are not swept yet, by currency.',
          }),
        }),
      ),
    },
    {
      continuation: text({
        description: 'Cursor of the next page; absent on the last one. A page may be short or empty.',
      }),
    },
  ),
);

const SWEEP = object({
  id: text(),
  state: text(),
  reason: nullable(text()),
  dueAt: UNIX_MS,
  reverts: integer({ minimum: 0 }),
  closings: integer({ minimum: 0 }),
  releasedBy: nullable(text({ description: '`operator`: it is sent at any gas price.' })),
  spent: text({ description: 'Network fees of its transactions without effect, native smallest unit.' }),
  attempts: list(object({ hash: text(), state: text(), sentAt: nullable(UNIX_MS) })),
});

export const ADDRESS_DETAIL = named(
  'OperatorDepositAddress',
  object({
    ...ADDRESS,
    requests: list(
      object({
        id: REQUEST_ID,
        parentRequestId: nullable(REQUEST_ID),
        status: text(),
        failReason: nullable(text()),
        refundFailReason: nullable(text()),
        createdAt: UNIX_MS,
      }),
      { description: 'Its own, then those of transfers.' },
    ),
    transfers: list(
      object({
        fundingKey: text(),
        requestId: REQUEST_ID,
        transactionHash: text({ description: 'Empty if the chain does not show it.' }),
        depositor: text(),
        currency: text(),
        amount: UNITS,
        state: text(),
        height: nullable(integer({ minimum: 0 })),
        decision: text(),
        seenAt: UNIX_MS,
        sweptAt: nullable(UNIX_MS),
        sweep: nullable(SWEEP),
      }),
      { description: 'The newest hundred, oldest first.' },
    ),
    transferCount: integer({ minimum: 0 }),
    balances: list(
      object({
        currency: text(),
        symbol: text(),
        balance: nullable(text({ description: 'Balance at the head; null if the chain did not answer.' })),
        ledger: text({ description: 'Balance in the books.' }),
      }),
    ),
    holds: list(object({ id: text(), requestId: REQUEST_ID, currency: text(), amount: UNITS, reason: text() })),
  }),
);

export const ADDRESS_AGAIN = named(
  'OperatorReindexedDepositAddress',
  object({
    chainId: CHAIN_ID,
    address: text(),
    balances: list(object({ currency: text(), symbol: text(), balance: nullable(text()) })),
  }),
);

export const SWEEP_OUTCOME = named(
  'OperatorSweep',
  object({
    ok: flag({ const: true }),
    state: oneOf(['owed', 'alreadyDone', 'inProgress']),
    message: text(),
    transfers: list(
      object({ fundingKey: text(), state: oneOf(['owed', 'inProgress', 'waits', 'held']), message: text() }),
    ),
  }),
);
