import { integer, list, named, nullable, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, ISO_TIME, REQUEST_ID } from './common.js';

export const MICRO_USD = text({ pattern: '^-?[0-9]+$', description: 'Micro-USD.' });
const CAP = text({ pattern: '^[0-9]{1,18}$', description: 'Micro-USD.' });
const ADDRESS = text({ minLength: 1, maxLength: 256 });

const TARGET = object(
  { chainId: CHAIN_ID, address: ADDRESS },
  {
    selectors: list(text({ pattern: '^0x([0-9a-fA-F]{8})?$' }), {
      minItems: 1,
      maxItems: 64,
      description: 'First four bytes of the calls that are sponsored, `0x` for calls without them; all when absent.',
    }),
  },
);

const POLICY_FIELDS = {
  maxPerCall: CAP,
  maxPerUser: CAP,
  maxPerDay: CAP,
  maxPerMonth: CAP,
  expiresAt: ISO_TIME,
  targets: list(TARGET, { minItems: 1, maxItems: 64, description: 'The only contracts whose calls are sponsored.' }),
};

export const SPONSOR_POLICY = named('SponsorPolicy', object({}, POLICY_FIELDS));

export const POLICY_CHANGE = object(
  { policy: nullable(object({}, POLICY_FIELDS)) },
  { keyId: text({ maxLength: 100, description: 'Another key of the integrator; the caller’s when absent.' }) },
);

export const KEY_POLICY = object({
  keyId: text(),
  policy: nullable(SPONSOR_POLICY),
  used: object({ day: MICRO_USD, month: MICRO_USD }),
});

export const APP_BALANCE = object({
  integratorId: text(),
  balance: MICRO_USD,
  reserved: MICRO_USD,
  available: MICRO_USD,
  fundingAddress: nullable(text()),
  deposits: object({
    orderId: REQUEST_ID,
    currencies: list(
      object({ chainId: CHAIN_ID, address: text(), symbol: text(), decimals: integer({ minimum: 0 }) }),
      {
        description:
          'A deposit of one of these under `orderId` is credited once it is final, and so is one of them by `fundingAddress` without an id.',
      },
    ),
  }),
  keys: list(KEY_POLICY, { description: 'Active keys that have a policy, and the caller’s.' }),
});

export const LINK = object(
  { fundingAddress: ADDRESS },
  {
    time: ISO_TIME,
    signature: text({ maxLength: 2_048, description: 'Of the text, by the address. Absent: the text is answered.' }),
  },
);

export const LINKED = object(
  { fundingAddress: text() },
  { message: text({ description: 'To sign by the address.' }), time: ISO_TIME, expiresAt: ISO_TIME },
);

export const BALANCE_EVENT = named(
  'BalanceEvent',
  object({
    id: text(),
    context: oneOf(['deposit', 'sponsorship', 'credit', 'debit', 'withdrawal']),
    amount: MICRO_USD,
    amountUsd: text({ description: 'US dollars.' }),
    requestId: nullable(REQUEST_ID),
    chainId: nullable(CHAIN_ID),
    currency: nullable(text({ description: 'What was paid in or out.' })),
    txHash: nullable(text()),
    reason: nullable(text()),
    createdAt: ISO_TIME,
  }),
);

const BALANCE = object({ currency: oneOf(['USD']), balance: MICRO_USD, reserved: MICRO_USD, available: MICRO_USD });

export const BALANCE_EVENTS = object(
  { wallet: text(), balances: list(BALANCE), events: list(BALANCE_EVENT) },
  { continuation: text() },
);

export const LISTED_BALANCE = named(
  'ListedBalance',
  object({
    integratorId: text(),
    name: text(),
    fundingAddress: nullable(text()),
    balance: MICRO_USD,
    reserved: MICRO_USD,
    available: MICRO_USD,
  }),
);
