import type { ClaimOutcome } from '../../engine/index.js';
import { type ApiError, apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { holdRecord, holdsNamed, visibleTo } from '../listing/holds-named.js';
import { type Answer, type Caller, ok, type Route, route } from '../route.js';
import { object, text } from '../schema.js';
import { CLAIM_OUTCOME, HOLD_DETAILS, HOLDS } from '../schemas/holds.js';
import { refusal } from './refusal.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'engine'>;

const ID = text({ minLength: 1, maxLength: 400, description: 'Id of the hold.' });
const RECIPIENT = text({ pattern: '^[!-~]{1,256}$', description: 'Address on the chain of the hold.' });
/** Longer than the signatures of any chain. */
const SIGNATURE = text({ minLength: 1, maxLength: 4_096, description: 'Of `message`, by the depositor.' });
const HASH = text({ minLength: 1, maxLength: 256, description: 'Hash of the transaction with the held transfer.' });

const shared = { tags: ['Holds'], rate: 'other', access: 'open' } as const;

/**
 * The sender finds a hold by the transaction hash and signs the payout address. Answers reveal only what the chain
 * shows.
 */
export function holdRoutes(deps: Deps): readonly Route[] {
  return [listRoute(deps), oneRoute(deps), releaseRoute(deps)];
}

function listRoute(deps: Deps): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/holds',
    operationId: 'holds',
    summary: 'What is held of a transaction',
    description: 'Holds of a transaction; empty if there are none.',
    query: object({ hash: HASH }),
    answers: { 200: HOLDS },
    handle: async ({ query, caller }) => ok({ holds: await holdsNamed(deps, query.hash, caller) }),
  });
}

function oneRoute(deps: Deps): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/holds/:id',
    operationId: 'hold',
    summary: 'A hold, and what to sign for it',
    description: 'With a recipient: `message`, if the hold is claimable.',
    params: { id: ID },
    query: object({}, { recipient: RECIPIENT }),
    answers: { 200: HOLD_DETAILS },
    errors: [['INVALID_REQUEST', 404]],
    handle: ({ params, query, caller }) =>
      withHold(deps, caller, params, async (id) => {
        const found = await deps.engine.hold(id, query.recipient);
        if (!found.ok) return refusal(found.code === 'invalid' ? 'recipient' : 'id', found);
        const { hold, message } = found;
        return ok({ hold: holdRecord(hold), ...(message === null ? {} : { message }) });
      }),
  });
}

function releaseRoute(deps: Deps): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/holds/:id/release',
    operationId: 'releaseHold',
    summary: 'Have a hold paid out',
    description:
      'Pays it to the recipient, less the network fee, once the depositor has signed the `message` of the hold for that ' +
      'recipient. Refused unless the chain proves that all of it was the depositor’s. The same again does nothing more.',
    params: { id: ID },
    body: object({ recipient: RECIPIENT, signature: SIGNATURE }),
    answers: { 200: CLAIM_OUTCOME },
    errors: [['INVALID_REQUEST', 404], ['INVALID_REQUEST', 409], 'FORBIDDEN', 'RPC_HTTP_ERROR'],
    handle: ({ params, body, caller }) =>
      withHold(deps, caller, params, async (id) =>
        answer(await deps.engine.claimHold(id, body.recipient, body.signature)),
      ),
  });
}

/** Holds on a chain hidden from the caller are always answered as not found. */
async function withHold(
  { store, chains }: Deps,
  caller: Caller,
  params: Readonly<Record<string, string>>,
  then: (id: string) => Promise<Answer | ApiError>,
): Promise<Answer | ApiError> {
  const id = String(params['id']);
  const hold = await store.hold(id);
  if (hold && visibleTo(chains, caller)(hold)) return then(id);
  return refusal('id', { ok: false, code: 'notFound', message: `there is no hold ${id}` });
}

function answer(outcome: ClaimOutcome): Answer | ApiError {
  if (outcome.ok) {
    const { state, message, requestId } = outcome;
    return ok({ state, message, requestId });
  }
  const { code, message } = outcome;
  if (code === 'notSigned') return apiError('FORBIDDEN', message, { field: 'signature', reason: message });
  if (code === 'unavailable') return apiError('RPC_HTTP_ERROR', message);
  return refusal(code === 'invalid' ? 'recipient' : 'id', { ...outcome, code });
}
