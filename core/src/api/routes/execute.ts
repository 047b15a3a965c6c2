import { sponsorAsk } from '../../capabilities/gasless/accept-call.js';
import { type ReadCall, readCall } from '../../capabilities/gasless/ask-call.js';
import { quotedCall } from '../../capabilities/gasless/quoted-call.js';
import { isSpent } from '../../capabilities/sponsorship/app-balance.js';
import { sponsorshipOf } from '../../capabilities/sponsorship/policy.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { RequestId } from '../../contract/ids.js';
import type { RawCalls, RawCallTrial, TriedCall } from '../../contract/raw-calls.js';
import type { Party } from '../../contract/screening.js';
import type { ApiKeyRow } from '../../contract/store-rows.js';
import { ApiError, apiError, finalError, invalidRequest, laterError } from '../../errors/api-error.js';
import type { Keeping } from '../../quoting/keeping.js';
import { refuseUnserved } from '../../quoting/unserved.js';
import { asked } from '../../quoting/within.js';
import type { ApiDeps } from '../api.js';
import { visibleChains } from '../catalog/visible-chains.js';
import {
  IDEMPOTENCY_ERRORS,
  Idempotency,
  type IdempotencyHeaders,
  idempotencyHeaders,
} from '../idempotency/idempotency.js';
import { type Answer, type Call, ok, type Route, route } from '../route.js';
import type { TypeOf } from '../schema.js';
import { EXECUTE_ANSWER, EXECUTE_BODY, EXECUTE_REVERTED } from '../schemas/execute.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'prices' | 'engine' | 'screening' | 'clock' | 'random'>;
type Body = TypeOf<typeof EXECUTE_BODY>;
type Accepted = TypeOf<typeof EXECUTE_ANSWER>;

const RETRY_AFTER_S = 5;
const MAX_LANES_TRIED = 3;

/** `POST /execute`: a call for others, simulated, then owed with its fee reserved in the integrator's app balance. */
export function executeRoute(deps: Deps): Route {
  const idempotency = new Idempotency(deps);
  return route({
    method: 'POST',
    path: '/execute',
    operationId: 'execute',
    summary: 'Execute a raw call',
    description:
      'Makes one call from an account of the service, whose fee the app balance of the API key pays. The call is simulated first: one ' +
      'that would revert is refused with what it failed with. It must not depend on the account that sends it. The answer is ' +
      'final: the call is then made at most once, and its request shows the result.',
    tags: ['Transactions'],
    rate: 'other',
    access: 'open',
    scope: 'execute',
    hasErrorField: true,
    body: EXECUTE_BODY,
    takesHeaders: idempotencyHeaders('The same key and body again get the same answer, and the call is made once.'),
    answers: { 200: EXECUTE_ANSWER, 400: EXECUTE_REVERTED },
    errors: [
      'FORBIDDEN',
      'UNSUPPORTED_EXECUTION_TYPE',
      'UNSUPPORTED_CHAIN',
      'CHAIN_DISABLED',
      'SPONSOR_BALANCE_TOO_LOW',
      'DESTINATION_TX_FAILED',
      'SANCTIONED_WALLET_ADDRESS',
      'RPC_HTTP_ERROR',
      'PRICE_FETCH_FAILED',
      ...IDEMPOTENCY_ERRORS,
    ],
    handle: async (call: Call<unknown, Body, IdempotencyHeaders>) => {
      const { caller, body, headers } = call;
      if (!caller.key) return apiError('UNAUTHORIZED');
      const key = headers['Idempotency-Key'];
      if (key === undefined) return answered(await execute(deps, call, caller.key));
      const repeatable = { operation: 'execute', caller, key, body };
      let reverted: Answer | undefined;
      const result = await idempotency.once<Accepted>(repeatable, async (keeping) => {
        const made = await execute(deps, call, caller.key as ApiKeyRow, keeping);
        if (!('status' in made) || made instanceof ApiError) return made;
        reverted = made;
        return REVERTED;
      });
      return reverted ?? answered(result);
    },
  });
}

/** Instead of an answer that is not stored. */
const REVERTED = apiError('DESTINATION_TX_FAILED');

function answered(result: Accepted | Answer | ApiError): Answer | ApiError {
  return result instanceof ApiError || 'status' in result ? result : ok(result);
}

async function execute(
  deps: Deps,
  { caller, body }: Call<unknown, Body, IdempotencyHeaders>,
  key: ApiKeyRow,
  keeping?: Keeping<Accepted>,
): Promise<Accepted | Answer | ApiError> {
  const [integrator, spent] = await Promise.all([
    deps.store.integrator(key.integratorId),
    isSpent(deps.store, key.integratorId),
  ]);
  // guard: sponsor-is-linked
  if (integrator === undefined || integrator.fundingAddress === null)
    return apiError('FORBIDDEN', 'The API key has no linked funding address, and so no app balance that could pay');
  if (body.executionOptions?.subsidizeFees === false && body.requestId === undefined)
    return invalidRequest('executionOptions.subsidizeFees', 'must not be false: nothing but the app balance can pay');
  const chain = visibleChains(deps.chains, caller).find(({ facts }) => facts.id === body.data.chainId);
  if (chain === undefined) return apiError('UNSUPPORTED_CHAIN', undefined, { field: 'data.chainId' });
  const read = readCall(chain, body.data);
  if (read instanceof ApiError) return read;
  const { id: chainId, displayName } = chain.facts;
  if (deps.engine.paused(chainId, chainId) !== null) return apiError('CHAIN_DISABLED', `${displayName} is paused`);
  // Before the simulation, which costs nothing to who cannot pay.
  if (spent) return apiError('SPONSOR_BALANCE_TOO_LOW');
  const blocked = await refuseBlocked(deps, chain, read);
  if (blocked) return blocked;
  const { destinationChainExecutionData: destination } = body.executionOptions ?? {};
  if (body.requestId === undefined && destination !== undefined)
    return invalidRequest(
      'executionOptions.destinationChainExecutionData',
      'needs the quote whose order has it (requestId)',
    );
  const named = body.requestId?.toLowerCase() as RequestId | undefined;
  const data = read.call.data;
  const quoted =
    named === undefined
      ? undefined
      : await quotedCall(
          deps.store,
          deps.chains,
          { requestId: named, key, chain, data, destination },
          deps.clock.now(),
        );
  if (quoted instanceof ApiError) return quoted;
  const ends = quoted && [chain, deps.chains.get(quoted.row.destinationChainId)];
  const unserved = ends && refuseUnserved(ends, deps.engine);
  // guard: no-quoted-calls-unread
  if (unserved) return unserved;
  const requestId = quoted?.row.id ?? deps.random.hex(32);
  const sponsorship = await sponsorshipOf(
    deps.store,
    sponsorAsk({ key, requestId, chainId, call: read.call, user: read.user }, 1n),
    deps.clock.now(),
  );
  // Before the simulation; the caps are checked again with the amount.
  if (!sponsorship.ok) return apiError('FORBIDDEN', sponsorship.message, { rule: sponsorship.rule });
  const { originGasOverhead } = body;
  const call = {
    ...read.call,
    ...(originGasOverhead === undefined ? {} : { overhead: BigInt(originGasOverhead) }),
  };
  const trial = await tryOnLane(deps, chain, read.rawCalls, call, `key:${key.id}`);
  if (trial === 'late') return laterError('RPC_HTTP_ERROR', `${displayName} does not answer in time`, RETRY_AFTER_S);
  if (trial === 'none') return noLane(displayName);
  const { tried, signer } = trial;
  if (tried.is !== 'done') return refusal(tried, requestId);
  const { native: fee, most, work } = tried.cost;
  const accepted: Accepted = { message: 'The call is accepted', requestId };
  const outcome = await deps.engine.acceptCall(
    {
      ...{ chainId, requestId, signer, call: read.call, user: read.user, callees: read.callees, fee, most, work },
      ...{ key, referrer: body.executionOptions?.referrer ?? null },
      ...(quoted === undefined ? {} : { quoted }),
    },
    () => keeping?.changes(accepted, requestId) ?? [],
  );
  if (outcome.ok) return accepted;
  switch (outcome.why) {
    case 'balance':
      return apiError('SPONSOR_BALANCE_TOO_LOW');
    case 'policy':
      return apiError('FORBIDDEN', outcome.message, outcome.rule === undefined ? undefined : { rule: outcome.rule });
    case 'price':
      return laterError('PRICE_FETCH_FAILED', `The coin of ${displayName} has no price now`, RETRY_AFTER_S);
    case 'halted':
      return noLane(displayName);
    case 'conflict':
      if (keeping) return keeping.taken;
      if (quoted) return invalidRequest('requestId', 'is of a quote that is executed already');
      throw new Error(`a drawn request id is taken: ${requestId}`);
  }
}

function noLane(displayName: string): ApiError {
  return laterError('SERVICE_UNAVAILABLE', `No calls are sent on ${displayName} now`, RETRY_AFTER_S);
}

interface OnLane {
  readonly tried: RawCallTrial;
  readonly signer: string;
}

/** On the least busy lane that can pay for it. */
async function tryOnLane(
  { engine, clock }: Deps,
  { facts: { id } }: ChainAdapter,
  rawCalls: RawCalls,
  call: TriedCall,
  name: string,
): Promise<OnLane | 'late' | 'none'> {
  let last: OnLane | undefined;
  for (const signer of (await engine.callLanes(id)).slice(0, MAX_LANES_TRIED)) {
    const tried = await asked(clock, { party: name }, (asker) => rawCalls.simulate(call, signer, asker));
    if (tried === 'late') return 'late';
    last = { tried, signer };
    if (tried.is !== 'short') return last;
  }
  return last ?? 'none';
}

function refusal(tried: Exclude<RawCallTrial, { is: 'done' }>, requestId: RequestId): Answer | ApiError {
  if (tried.is === 'unavailable' || tried.is === 'short')
    return laterError('RPC_HTTP_ERROR', tried.message, RETRY_AFTER_S);
  if (tried.is === 'refused') return finalError('DESTINATION_TX_FAILED', tried.message, { reason: tried.reason });
  const { revert } = tried;
  const { label: error, message } = revert.revert;
  const rest = { errorCode: 'DESTINATION_TX_FAILED', statusCode: 400, retriable: false, requestId, details: revert };
  return { status: 400, body: { error, message, ...rest } };
}

/** Each party is screened again before the call is signed. */
async function refuseBlocked(
  { screening }: Deps,
  { facts: { id: chainId } }: ChainAdapter,
  { call, callees }: ReadCall,
): Promise<ApiError | undefined> {
  if (screening.isOff) return undefined;
  const parties: readonly Party[] = [
    { chainId, address: call.to, role: 'user' },
    ...callees.map((address) => ({ chainId, address, role: 'callee' }) as const),
  ];
  const [screened] = await screening.screen('quotes', [parties]);
  if (screened?.state === 'clear') return undefined;
  if (screened?.state === 'blocked') return apiError('SANCTIONED_WALLET_ADDRESS');
  return laterError('SERVICE_UNAVAILABLE', 'Addresses cannot be screened now', RETRY_AFTER_S);
}
