import { flag, list, named, nullable, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, REQUEST_ID, UNITS } from './common.js';

export const HOLD = named(
  'Hold',
  object({
    id: text({ description: 'Id of the hold; unique for each time that a payment is held.' }),
    transactionHash: text({ description: 'The transaction with the held transfer.' }),
    chainId: CHAIN_ID,
    currency: text({ description: 'Address of the currency; empty if the transaction cannot be read.' }),
    amount: UNITS,
    reason: text({
      description:
        'Why it is held. `NOT_IN_A_POT`: no book has it, as after a plain transfer of a token that keeps a fee, of which no event says what arrived; only the operator can release it.',
    }),
    state: oneOf(['open', 'released'], { description: '`released`: it is paid out or settled.' }),
    depositor: nullable(text({ description: 'Payer according to the chain.' })),
    claimable: flag({
      description:
        'Whether the depositor may release it by a signature, because the chain proves that the whole amount was theirs. Other holds wait for the operator.',
    }),
  }),
);

export const HOLDS = named('Holds', object({ holds: list(HOLD, { description: 'Open ones first; at most 20.' }) }));

export const HOLD_DETAILS = named(
  'HoldDetails',
  object(
    { hold: HOLD },
    {
      message: text({
        description: 'Text that the depositor signs, unchanged, in the way in which wallets of that chain sign texts.',
      }),
    },
  ),
);

export const CLAIM_OUTCOME = named(
  'ClaimOutcome',
  object({
    state: oneOf(['owed', 'inProgress', 'alreadyDone'], {
      description: '`owed`: released now. `inProgress`: released earlier, not paid yet. `alreadyDone`: paid.',
    }),
    message: text(),
    requestId: REQUEST_ID,
  }),
);
