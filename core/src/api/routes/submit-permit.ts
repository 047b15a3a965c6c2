import type { PermitBudget, PermitCaller } from '../../capabilities/permits/budget.js';
import { permitOf } from '../../capabilities/permits/promise.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { RequestId } from '../../contract/ids.js';
import type { QuoteRow, RequestRow } from '../../contract/store-rows.js';
import type { PermitPromise } from '../../domain/quote.js';
import { ApiError, apiError, invalidRequest, laterError } from '../../errors/api-error.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { refuseUnserved } from '../../quoting/unserved.js';
import { asked } from '../../quoting/within.js';
import type { ApiDeps } from '../api.js';
import type { Caller } from '../route.js';
import { crowdsOf, partyOf } from '../server/gate.js';
import { isVisible } from './fee-claims.js';

const RETRY_AFTER_S = 5;

export interface SignedPermit {
  readonly requestId: RequestId;
  readonly kind: string;
  readonly signature: string;
}

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'engine' | 'clock'> & { readonly budget: PermitBudget };

interface Asked {
  readonly quote: QuoteRow;
  readonly permit: PermitPromise;
  readonly chain: ChainAdapter;
}

/**
 * Accepts a signed deposit, if it would be made now.
 *
 * Invariant: nothing is sent, and so no gas spent, for what this refuses; what it accepts is tried again before it is signed.
 */
export async function submitPermit(
  deps: Deps,
  caller: Caller,
  { requestId, kind, signature }: SignedPermit,
): Promise<{ readonly message: string } | ApiError> {
  const [before] = await deps.store.requests([requestId]);
  if (before !== undefined) return acceptedBefore(before, signature);
  const found = await findQuote(deps, caller, requestId, kind);
  if (found instanceof ApiError) return found;
  const { quote, permit, chain } = found;
  const shares = { party: partyOf(caller.key, caller.address), crowds: crowdsOf(caller.key, caller.address) };
  const entry = { requestId, chainId: chain.facts.id, payer: quote.user, ...shares };
  const busy = await deps.budget.take(entry);
  if (busy !== undefined) return limited(busy);
  let isAccepted = false;
  try {
    const made = await tryAndAccept(deps, { quote, permit, chain }, signature, entry);
    isAccepted = made === 'accepted';
    if (made === 'taken') return acceptedBefore((await deps.store.requests([requestId]))[0], signature);
    return made === 'accepted' ? { message: 'The permit is accepted, and its deposit is being sent' } : made;
  } finally {
    if (!isAccepted) deps.budget.drop(entry);
  }
}

function acceptedBefore(request: RequestRow | undefined, signature: string): { message: string } | ApiError {
  const accepted = request && permitOf(request)?.accepted;
  if (accepted?.signature === signature) return { message: 'The permit was accepted before' };
  return failed('ORDER_ALREADY_FILLED', 'the order was paid for, or another signature for it was accepted');
}

async function findQuote(deps: Deps, caller: Caller, requestId: RequestId, kind: string): Promise<Asked | ApiError> {
  const quote = await deps.store.quote(requestId);
  const permit = quote && permitOf(quote);
  const chain = quote && deps.chains.get(quote.originChainId);
  if (!quote || !permit || !chain || !isVisible(deps, caller, quote.originChainId))
    return invalidRequest('requestId', 'is of no quote with a permit');
  if (permit.kind !== kind) return invalidRequest('kind', `must be ${permit.kind}, as the step has it`);
  const now = deps.clock.now();
  if (now > permit.deadlineAt || (quote.ttlAt !== null && now > quote.ttlAt))
    return failed('SIGNATURE_EXPIRED', 'the quote or its permit expired');
  const paused = deps.engine.paused(quote.originChainId, quote.destinationChainId);
  if (paused !== null) return apiError('CHAIN_DISABLED', `${chain.facts.displayName} is paused`);
  const unserved = refuseUnserved([chain, deps.chains.get(quote.destinationChainId)], deps.engine);
  // guard: no-permits-unread
  if (unserved) return unserved;
  return { quote, permit, chain };
}

async function tryAndAccept(
  { engine, clock, budget }: Deps,
  { quote, permit, chain }: Asked,
  signature: string,
  entry: PermitCaller,
): Promise<'accepted' | 'taken' | ApiError> {
  const { permits } = chain.capabilities;
  const { displayName } = chain.facts;
  if (permits === undefined) return apiError('UNSUPPORTED_EXECUTION_TYPE', `No permits are served on ${displayName}`);
  const judged = await asked(clock, entry, (asker) =>
    permits.judge(permit.terms, signature, BigInt(permit.work), asker),
  );
  if (judged === 'late') return laterError('RPC_HTTP_ERROR', `${displayName} does not answer in time`, RETRY_AFTER_S);
  if (judged.is === 'unavailable') return laterError('RPC_HTTP_ERROR', judged.message, RETRY_AFTER_S);
  // guard: permits-are-tried
  if (judged.is === 'refused') return failed(judged.reason, judged.message);
  const busy = budget.sign(entry);
  if (busy !== undefined) return limited(busy);
  const outcome = await engine.acceptPermit({ quote, call: judged.call, signature });
  if (outcome.ok) return 'accepted';
  if (outcome.why === 'taken') return 'taken';
  return laterError('SERVICE_UNAVAILABLE', `No permits are sent on ${displayName} now`, RETRY_AFTER_S);
}

function limited(why: string): ApiError {
  return laterError('RATE_LIMITED', `No permit is accepted now: ${why}`, RETRY_AFTER_S);
}

function failed(reason: FailReason, message: string): ApiError {
  return apiError('PERMIT_FAILED', `The permit was refused: ${message}`, { reason });
}
