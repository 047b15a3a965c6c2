import { list, named, nullable, number, object, oneOf, text } from '../schema.js';
import { AMOUNT, AMOUNTS, CHAIN_ID, CURRENCY, ISO_TIME, REQUEST_ID } from './common.js';

const usd = (description: string) => number({ minimum: 0, description: `US dollars. ${description}` });

const UNITS = text({ pattern: '^[0-9]{1,78}$', description: 'Smallest unit.' });

const APP_FEE_BALANCE = named(
  'AppFeeBalance',
  object({
    currency: CURRENCY,
    ...AMOUNTS,
    claimableAmount: UNITS,
    pendingAmount: UNITS,
    pendingUntil: nullable(ISO_TIME),
  }),
);

export const APP_FEE_BALANCES = object({
  balances: list(APP_FEE_BALANCE, { description: 'One per currency that is owed.' }),
  totalBalanceUsd: usd('Sum of what has a price.'),
  outstandingFastFillBalanceUsd: usd('Reserved for fast fills from the app balance whose funding address this is.'),
  availableBalanceUsd: usd('The part of the total that can be claimed now.'),
});

export const FEE_WALLET = text({ maxLength: 256, description: 'Recipient of app fees, in any spelling.' });

const FEE_UNITS = text({
  pattern: '^[0-9]{1,78}$',
  description: 'Smallest unit; all that can be claimed when absent.',
});
const ADDRESS = text({ minLength: 1, maxLength: 256 });

export const APP_FEE_CLAIM = object(
  { chainId: CHAIN_ID, currency: ADDRESS, recipient: ADDRESS },
  { amount: FEE_UNITS },
);

/** The same as passed on by a signed step. */
export const SIGNED_FEE_CLAIM = object({
  chainId: CHAIN_ID,
  wallet: ADDRESS,
  currency: ADDRESS,
  recipient: ADDRESS,
  amount: text({ pattern: '^[0-9]{1,78}$', description: 'Smallest unit.' }),
});

export const APP_FEE_CLAIM_STEPS = object({
  steps: list(
    object({
      id: oneOf(['authorize']),
      action: text(),
      description: text(),
      kind: oneOf(['signature']),
      requestId: REQUEST_ID,
      items: list(
        object({
          status: oneOf(['incomplete']),
          data: object({
            sign: object({ signatureKind: oneOf(['eip191']), message: REQUEST_ID }),
            post: object({
              endpoint: oneOf(['/execute/permits']),
              method: oneOf(['POST']),
              body: object({ kind: oneOf(['claim']), requestId: REQUEST_ID, claim: SIGNED_FEE_CLAIM }),
            }),
          }),
        }),
      ),
    }),
  ),
  details: object({
    amount: AMOUNT,
    fee: AMOUNT,
    currencyOut: AMOUNT,
    recipient: text({ description: 'In the spelling of its chain.' }),
  }),
});

export const APP_FEE_CLAIMS = object(
  {
    claims: list(
      object({
        claimId: REQUEST_ID,
        wallet: text(),
        recipient: text(),
        currency: AMOUNT,
        txHash: nullable(text({ description: 'Null until it is in a block.' })),
        status: oneOf(['pending', 'success', 'failure', 'held'], {
          description:
            '`failure`: it could not be paid, and is owed as before. `held`: it may have been paid by something that the ledger ' +
            'lost, and waits for the operator.',
        }),
        createdAt: ISO_TIME,
      }),
      { description: 'Newest first.' },
    ),
  },
  { continuation: text({ description: 'Cursor of the next page; absent on the last one.' }) },
);
