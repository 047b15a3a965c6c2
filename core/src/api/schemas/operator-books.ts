import { WITHDRAWAL_ID } from '../../domain/withdrawal.js';
import { MEASURES } from '../../engine/index.js';
import { flag, integer, list, named, nullable, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, UNITS, UNIX_MS } from './common.js';

const POSITIVE_UNITS = text({ pattern: '^[0-9]{1,78}$', description: 'Smallest unit.' });
const OF_CHAIN = nullable(CHAIN_ID);

export const INVENTORY = named(
  'Inventory',
  object({
    at: UNIX_MS,
    inventory: list(
      object({
        chainId: CHAIN_ID,
        chain: text(),
        currency: text({ description: 'Address.' }),
        symbol: text(),
        decimals: integer({ minimum: 0 }),
        group: text({ description: 'Currencies of one group are the same asset.' }),
        signer: text({ description: 'Account that pays out; top-ups are sent to it.' }),
        held: UNITS,
        available: text({ pattern: '^[0-9]+$', description: 'What new quotes may promise, smallest unit.' }),
        depository: UNITS,
        withdrawable: nullable(
          object(
            {
              free: UNITS,
              reserved: UNITS,
              gas: UNITS,
              promised: UNITS,
              owed: UNITS,
              unfinal: UNITS,
            },
            {},
            { description: '`free` is what is held less all others. Null while too much is under way to be read.' },
          ),
        ),
        usd: nullable(text({ description: 'US dollars per whole unit.' })),
        target: nullable(UNITS),
        min: nullable(UNITS),
      }),
    ),
  }),
);

export const REPORT_QUERY = object(
  {
    from: integer({ minimum: 0, maximum: 8_640_000_000_000_000, description: 'Unix milliseconds, inclusive.' }),
    to: integer({ minimum: 0, maximum: 8_640_000_000_000_000, description: 'Unix milliseconds, exclusive.' }),
  },
  { continuation: text({ minLength: 1, maxLength: 4_096, description: 'From the part before.' }) },
);

export const REPORT = named(
  'Report',
  object(
    {
      rows: list(
        object({
          day: text({ description: 'UTC.', pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
          originChainId: OF_CHAIN,
          destinationChainId: OF_CHAIN,
          chainId: OF_CHAIN,
          currency: text({ description: 'Address; `micro` for micro-USD of app balances.' }),
          symbol: nullable(text()),
          decimals: nullable(integer({ minimum: 0 })),
          measure: oneOf(MEASURES),
          amount: UNITS,
          usd: text({ description: 'At the prices of then. Without what had none.' }),
          unpriced: text({ pattern: '^-?[0-9]+$', description: 'Part of the amount that had no price.' }),
        }),
      ),
      accounts: list(object({ kind: text(), chainId: OF_CHAIN, currency: text(), amount: UNITS }), {
        description: 'What the period changed in each account of the books. Per currency, all add up to zero.',
      }),
    },
    { continuation: text({ description: 'The next part. Absent in the last one. Parts add up.' }) },
  ),
);

export const WITHDRAW_BODY = object(
  {
    withdrawalId: text({
      pattern: WITHDRAWAL_ID.source,
      description: 'Names the withdrawal: one id is paid once, however often it is sent.',
      examples: ['profit-2026-11'],
    }),
    chainId: integer({ minimum: 1 }),
    currency: text({ minLength: 1, maxLength: 300, description: 'Address, or a symbol that is unique on the chain.' }),
    recipient: text({ minLength: 1, maxLength: 300, description: 'Address on the chain.' }),
  },
  { amount: { ...POSITIVE_UNITS, description: 'Smallest unit; absent: all that may be withdrawn.' } },
);

export const WITHDRAWAL = named(
  'Withdrawal',
  object({
    ok: flag({ const: true }),
    state: oneOf(['owed', 'alreadyDone', 'inProgress']),
    message: text(),
    legId: text(),
    amount: UNITS,
  }),
);
