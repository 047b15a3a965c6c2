import { flag, integer, list, named, nullable, number, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, REQUEST_ID, UNIX_MS } from './common.js';

export const PAUSED = named('Pause', object({ scope: text(), paused: flag(), reason: nullable(text()) }));

export const OPERATOR_OUTCOME = named(
  'OperatorOutcome',
  object(
    { ok: flag({ const: true }), state: oneOf(['owed', 'alreadyDone', 'inProgress']), message: text() },
    { legId: text(), address: text({ description: 'Deposit address of the difference.' }) },
  ),
);

export const ALERTS = named(
  'Alerts',
  object({ alerts: list(object({ id: text(), message: text(), since: UNIX_MS })) }),
);

const MICRO_USD = text({ description: 'Micro-USD.' });
const BALANCE_SUMS = { balance: MICRO_USD, reserved: MICRO_USD, available: MICRO_USD };

/** Whether the books balance, and everything unsettled. */
export const AUDIT = named(
  'Audit',
  object({
    at: UNIX_MS,
    balanced: flag({ description: 'To the last unit.' }),
    covered: flag({
      description:
        'As `balanced`, except that pots may hold funds that are not booked yet; and nothing is missing at a deposit address.',
    }),
    sums: list(object({ currency: text(), sum: text() })),
    pots: list(
      object({
        account: text(),
        ledger: text(),
        chain: nullable(text()),
        difference: nullable(text()),
        drift: nullable(text()),
      }),
    ),
    addresses: list(
      object({
        chainId: CHAIN_ID,
        address: text(),
        currency: text(),
        ledger: text(),
        chain: nullable(text()),
        difference: nullable(text()),
        drift: nullable(text()),
      }),
    ),
    appBalances: object({
      ...BALANCE_SUMS,
      wrong: list(object({ integratorId: text(), ...BALANCE_SUMS }), {
        description: 'Balances that differ from the sum of reserved and available amounts.',
      }),
    }),
    unsettled: integer({ minimum: 0 }),
    openHolds: integer({ minimum: 0 }),
    requests: list(
      object({
        id: REQUEST_ID,
        status: text(),
        since: UNIX_MS,
        originChainId: CHAIN_ID,
        destinationChainId: CHAIN_ID,
        why: text(),
      }),
    ),
    holds: list(
      object({
        id: text(),
        requestId: REQUEST_ID,
        fundingKey: text(),
        transactionHash: text(),
        chainId: CHAIN_ID,
        currency: text(),
        amount: text(),
        reason: text(),
        payable: flag({
          description:
            'False: it is in no book, and its release pays no one. A `NOT_IN_A_POT` or `TRANSACTION_NOT_READ` has no request.',
        }),
        createdAt: UNIX_MS,
      }),
    ),
    lanes: list(
      object({
        id: text(),
        chainId: CHAIN_ID,
        signer: text(),
        position: text(),
        halted: nullable(text()),
        openKeys: integer({ minimum: 0 }),
      }),
    ),
    orphans: list(object({ what: text(), count: integer({ minimum: 0 }) })),
  }),
);

export const LIVES = named(
  'Lives',
  object(
    { status: oneOf(['ok', 'unavailable']) },
    {
      rehearsal: flag({ description: 'Present and true where the service is a rehearsal: it takes no deposits.' }),
      report: object(
        {
          chains: list(
            object(
              {
                id: CHAIN_ID,
                name: text(),
                healthy: flag(),
                head: nullable(object({ value: number(), at: UNIX_MS })),
              },
              { reason: nullable(text({ description: 'For callers on the same machine only.' })) },
            ),
          ),
        },
        { database: object({ healthy: flag(), ms: integer({ minimum: 0 }) }) },
      ),
    },
  ),
);
