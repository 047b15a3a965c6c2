import { apiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { ok, type Route, route } from '../route.js';
import { object, oneOf, text } from '../schema.js';
import { SIGNED_FEE_CLAIM } from '../schemas/app-fees.js';
import { MESSAGE } from '../schemas/common.js';
import { feeClaimRefusal, isVisible } from './fee-claims.js';

const BODY = object(
  { kind: text({ maxLength: 64 }), requestId: text({ maxLength: 256 }) },
  { api: oneOf(['bridge', 'swap', 'user-swap']), claim: SIGNED_FEE_CLAIM },
);

const HASH = /^0x[0-9a-fA-F]{64}$/;

/** Serves claims of app fees; other kinds are refused. */
export function permitsRoute({ engine, chains }: Pick<ApiDeps, 'engine' | 'chains'>): Route {
  return route({
    method: 'POST',
    path: '/execute/permits',
    operationId: 'executePermits',
    summary: 'Execute what was signed',
    description:
      'Takes what a step of kind `signature` has in `post`, with the signature as a query parameter. Serves claims of app fees ' +
      '(`kind` `claim`); the same again does nothing more. Other kinds are refused with `UNSUPPORTED_EXECUTION_TYPE`.',
    tags: ['Transactions'],
    rate: 'other',
    access: 'open',
    query: object({}, { signature: text({ maxLength: 8_192 }) }),
    body: BODY,
    answers: { 200: MESSAGE },
    errors: [
      'UNSUPPORTED_EXECUTION_TYPE',
      'PERMIT_FAILED',
      'UNSUPPORTED_CURRENCY',
      'AMOUNT_TOO_LOW',
      'INSUFFICIENT_LIQUIDITY',
      'CHAIN_DISABLED',
      'SERVICE_UNAVAILABLE',
    ],
    handle: async ({ query: { signature }, body: { kind, requestId, claim }, caller }) => {
      if (kind !== 'claim') return apiError('UNSUPPORTED_EXECUTION_TYPE', 'Permits are not served');
      if (!HASH.test(requestId)) return invalidRequest('requestId', 'must be the id of the claim, 32 bytes as hex');
      if (claim === undefined) return invalidRequest('claim', 'must be sent as the step has it');
      if (signature === undefined) return invalidRequest('signature', 'is missing among the query parameters');
      if (!isVisible({ chains }, caller, claim.chainId)) return invalidRequest('chainId', 'is no chain that is served');
      const { chainId, wallet, currency, recipient, amount } = claim;
      const ask = { chainId, wallet, currency, recipient, amount: BigInt(amount) };
      const claimed = await engine.claimFees(ask, requestId.toLowerCase() as `0x${string}`, signature);
      if (!claimed.ok) return feeClaimRefusal(claimed);
      const before = claimed.state === 'acceptedBefore';
      return ok({ message: before ? 'The claim was accepted before' : 'The claim is accepted, and is being paid' });
    },
  });
}
