import { anyOf, described, flag, integer, list, object, oneOf, text } from '../schema.js';
import { CALL_REVERT } from './call-revert.js';
import { REQUEST_ID } from './common.js';

const ADDRESS = text({ minLength: 1, maxLength: 256 });
const NUMBER = integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const AUTHORIZATION = object({
  ...{ chainId: NUMBER, address: ADDRESS, nonce: NUMBER, yParity: NUMBER, r: text(), s: text() },
});
const AUTHORIZATIONS = list(AUTHORIZATION, {
  ...{ minItems: 1, maxItems: 64 },
  description: 'Signed delegations of accounts (EIP-7702), in effect before the call.',
});

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
    requestId: text({
      maxLength: 256,
      description:
        "Of a quote whose deposit, or own execution, the call makes: the answer then names it, and its status is the quote's.",
    }),
    executionOptions: object(
      {},
      {
        referrer: text({ maxLength: 1_024 }),
        subsidizeFees: flag({
          description:
            "The app balance pays the call's fee in any case, so false is for the deposit of a quote alone, whose own fees stay as quoted.",
        }),
        destinationChainExecutionData: object(
          {},
          {
            calls: list(object({ to: ADDRESS, value: text({ maxLength: 78 }), data: text() }), { maxItems: 64 }),
            authorizationList: list(AUTHORIZATION, { maxItems: 64 }),
          },
        ),
      },
    ),
    originGasOverhead: described(
      anyOf(NUMBER, text({ maxLength: 15, pattern: '^[0-9]+$' })),
      "Gas beyond what the simulation needs, up to the chain's limit: reserved, taken only where it is used.",
    ),
  },
);

export const EXECUTE_ANSWER = object({ message: text(), requestId: REQUEST_ID });

/** A call that its chain would revert. */
export const EXECUTE_REVERTED = object(
  {
    error: text({ description: 'Decoded error of the failed call.' }),
    message: text(),
    errorCode: oneOf(['DESTINATION_TX_FAILED']),
    statusCode: integer(),
    retriable: flag(),
    requestId: REQUEST_ID,
  },
  { details: CALL_REVERT },
);
