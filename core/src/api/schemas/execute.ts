import { anyOf, flag, integer, list, object, oneOf, text } from '../schema.js';
import { CALL_REVERT } from './call-revert.js';
import { REQUEST_ID } from './common.js';

const ADDRESS = text({ minLength: 1, maxLength: 256 });
const NUMBER = integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const AUTHORIZATIONS = list(
  object({ chainId: NUMBER, address: ADDRESS, nonce: NUMBER, yParity: NUMBER, r: text(), s: text() }),
  { minItems: 1, maxItems: 64, description: 'Signed delegations of accounts (EIP-7702), in effect before the call.' },
);

export const EXECUTE_BODY = object(
  {
    executionKind: oneOf(['rawCalls']),
    data: object(
      {
        chainId: NUMBER,
        to: ADDRESS,
        data: text({ pattern: '^0x([0-9a-fA-F]{2})*$', description: 'Calldata, hex after 0x.' }),
        value: text({ pattern: '^([0-9]{1,78}|0x[0-9a-fA-F]{1,64})$', description: 'Native coin: must be 0.' }),
      },
      { authorizationList: AUTHORIZATIONS },
    ),
  },
  {
    requestId: text({ maxLength: 256, description: 'Ignored: a call has a request of its own.' }),
    executionOptions: object(
      {},
      {
        referrer: text({ maxLength: 1_024 }),
        subsidizeFees: flag({ description: 'Not false: the app balance pays.' }),
      },
    ),
    originGasOverhead: anyOf(NUMBER, text({ maxLength: 15 })),
  },
);

export const EXECUTE_ANSWER = object({ message: text(), requestId: REQUEST_ID });

/** A call that its chain would revert. */
export const EXECUTE_REVERTED = object(
  {
    error: text({ description: 'What it failed with, decoded.' }),
    message: text(),
    errorCode: oneOf(['DESTINATION_TX_FAILED']),
    statusCode: integer(),
    retriable: flag(),
    requestId: REQUEST_ID,
  },
  { details: CALL_REVERT },
);
