import { flag, list, named, nullable, object, oneOf, text } from '../schema.js';
import { CHAIN_ID, REQUEST_ID, UNITS } from './common.js';

export const HOLD = named(
  'Hold',
  object({
    id: text({ description: 'Name of the hold; each time that something is held has its own.' }),
    transactionHash: text({ description: 'The transaction that brought it.' }),
    chainId: CHAIN_ID,
    currency: text({ description: 'Address of the currency; empty where the transaction cannot be read.' }),
    amount: UNITS,
    reason: text({ description: 'Why it is held.' }),
    state: oneOf(['open', 'released'], { description: '`released`: it is paid out or settled.' }),
    depositor: nullable(text({ description: 'Whom the chain names as the payer.' })),
    claimable: flag({
      description:
        'The depositor may release it by a signature, if the chain proves that all of it was theirs. Others wait for the operator.',
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
        description: 'What the depositor signs, to the last character, in the way of texts on that chain.',
      }),
    },
  ),
);

export const CLAIM_OUTCOME = named(
  'ClaimOutcome',
  object({
    state: oneOf(['owed', 'inProgress', 'alreadyDone'], {
      description: '`owed`: now it is. `inProgress`: it was already. `alreadyDone`: it was paid.',
    }),
    message: text(),
    requestId: REQUEST_ID,
  }),
);
