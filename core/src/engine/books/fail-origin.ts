import type { CallData } from '../../contract/deposits.js';
import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import type { FailureEvidence } from '../../domain/transitions.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import type { EngineContext } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { moveRequest } from './requests.js';

const MAX_DETAILS = 500;

export interface OriginFailure {
  readonly reason: FailReason;
  readonly details?: string | undefined;
  readonly evidence: FailureEvidence;
  readonly call?: CallData | undefined;
}

/**
 * Fails a request whose deposit the service should have made, because the leg for that failed.
 *
 * Invariant: if the deposit was seen, from any sender, the request does not fail.
 *
 * @param also further changes of the request on failure.
 */
export function failOrigin(
  context: EngineContext,
  unit: UnitOfWork,
  { requestId }: Pick<LegRow, 'requestId'>,
  { reason: failReason, details, evidence, call }: OriginFailure,
  also: (request: RequestRow) => Partial<RequestRow> = () => ({}),
): void {
  const request = requestId === null ? undefined : unit.get('requests', requestId);
  // guard: deposits-outrank-permits
  if (request === undefined || request.status !== 'depositing' || request.fundingKey !== null) return;
  const set = {
    failReason,
    // Clients that poll after a signature show only texts that say so.
    ...(details === undefined ? {} : { details: `Transaction failed: ${details}`.slice(0, MAX_DETAILS) }),
    ...(call ? { failed: JSON.stringify({ call }) } : {}),
    ...also(request),
  };
  moveRequest(context, unit, request.id, 'originFailed', set, { evidence });
}
