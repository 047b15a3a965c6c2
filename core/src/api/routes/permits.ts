import { PermitBudget } from '../../capabilities/permits/budget.js';
import { ApiError, invalidRequest } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { type Answer, type Caller, ok, type Route, route } from '../route.js';
import type { TypeOf } from '../schema.js';
import { object, oneOf, text } from '../schema.js';
import { SIGNED_FEE_CLAIM } from '../schemas/app-fees.js';
import { MESSAGE } from '../schemas/common.js';
import { feeClaimRefusal, isVisible } from './fee-claims.js';
import { submitPermit } from './submit-permit.js';

const BODY = object(
  { kind: text({ maxLength: 64 }), requestId: text({ maxLength: 256 }) },
  { api: oneOf(['bridge', 'swap', 'user-swap']), claim: SIGNED_FEE_CLAIM },
);

const HASH = /^0x[0-9a-fA-F]{64}$/;

type Deps = Pick<ApiDeps, 'engine' | 'chains' | 'store' | 'clock'>;

/** Takes what steps of kind `signature` had signed: claims of app fees, and permits of quotes. */
export function permitsRoute(deps: Deps): Route {
  const submitting = { ...deps, budget: new PermitBudget(deps) };
  return route({
    method: 'POST',
    path: '/execute/permits',
    operationId: 'executePermits',
    summary: 'Execute what was signed',
    description:
      'Takes what a step of kind `signature` has in `post`, with the signature as a query parameter: claims of app fees (`kind` ' +
      '`claim`), and permits of quotes with `usePermit`, whose deposit the service then sends. The same again does nothing more. What ' +
      'is refused costs nothing; `errorData.reason` has the value of the failReason enum.',
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
      'RPC_HTTP_ERROR',
    ],
    handle: async ({ query: { signature }, body, caller }) => {
      const { requestId, kind } = body;
      if (!HASH.test(requestId)) return invalidRequest('requestId', 'must be 32 bytes as hex, as the step has it');
      if (kind !== 'claim' && body.claim !== undefined) return invalidRequest('claim', 'belongs to kind `claim` alone');
      if (signature === undefined) return invalidRequest('signature', 'is missing among the query parameters');
      const id = requestId.toLowerCase() as `0x${string}`;
      if (kind === 'claim') return claim(deps, caller, body, { id, signature });
      const permit = { requestId: id, kind, signature: signature.toLowerCase() };
      const answer = await submitPermit(submitting, caller, permit);
      return answer instanceof ApiError ? answer : ok(answer);
    },
  });
}

async function claim(
  { engine, chains }: Deps,
  caller: Caller,
  { claim: signed }: TypeOf<typeof BODY>,
  { id, signature }: { readonly id: `0x${string}`; readonly signature: string },
): Promise<Answer | ApiError> {
  if (signed === undefined) return invalidRequest('claim', 'must be sent as the step has it');
  if (!isVisible({ chains }, caller, signed.chainId)) return invalidRequest('chainId', 'is no chain that is served');
  const { chainId, wallet, currency, recipient, amount } = signed;
  const ask = { chainId, wallet, currency, recipient, amount: BigInt(amount) };
  const claimed = await engine.claimFees(ask, id, signature);
  if (!claimed.ok) return feeClaimRefusal(claimed);
  const before = claimed.state === 'acceptedBefore';
  return ok({ message: before ? 'The claim was accepted before' : 'The claim is accepted, and is being paid' });
}
