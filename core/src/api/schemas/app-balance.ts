import { flag, integer, list, named, nullable, object, oneOf, text } from '../schema.js';
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
      description: 'Selectors of the sponsored calls; `0x`: calls without one. Absent: all.',
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
  { keyId: text({ maxLength: 100, description: 'Another key of the integrator. Absent: the caller’s key.' }) },
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
  isLow: flag({ description: 'Less is left than the operator asks for: top it up.' }),
  fundingAddress: nullable(text()),
  deposits: object({
    orderId: REQUEST_ID,
    currencies: list(
      object({ chainId: CHAIN_ID, address: text(), symbol: text(), decimals: integer({ minimum: 0 }) }),
      {
        description:
          'A deposit in one of these currencies with `orderId`, or from `fundingAddress` without an order id, is credited once it is final.',
      },
    ),
  }),
  keys: list(KEY_POLICY, { description: 'Active keys that have a policy, and the caller’s.' }),
});

export const LINK = object(
  { fundingAddress: ADDRESS },
  {
    time: ISO_TIME,
    signature: text({
      maxLength: 2_048,
      description: 'Signature of the text by the address. Absent: the text is returned.',
    }),
  },
);

export const LINKED = object(
  { fundingAddress: text() },
  { message: text({ description: 'Text to sign by the address.' }), time: ISO_TIME, expiresAt: ISO_TIME },
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
    currency: nullable(text({ description: 'Currency of the payment.' })),
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
