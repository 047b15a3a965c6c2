import type { CallData } from '../../contract/deposits.js';
import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import { factsOf } from '../../domain/leg-facts.js';
import { listingFacts } from '../../domain/listing-facts.js';
import type { QuoteBody } from '../../domain/quote.js';
import type { FailureEvidence } from '../../domain/transitions.js';
import type { EngineContext } from '../../engine/base/context.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { failOrigin, type OriginFailure } from '../../engine/books/fail-origin.js';
import { moveRequest } from '../../engine/books/requests.js';
import { microUsdOf } from '../../engine/books/value.js';
import type { FailReason } from '../../errors/fail-reasons.js';
import { releaseChanges, settleChanges, takenOf } from '../sponsorship/app-balance.js';
import { sponsoredOf } from './call-body.js';

const MAX_DETAILS = 500;

export interface Failed {
  readonly reason: FailReason;
  readonly message: string;
  readonly evidence: FailureEvidence;
  readonly call?: CallData;
}

/**
 * Ends a call that was never signed.
 *
 * Invariant: the leg is `owed` at the loaded version, so no bytes of it exist, and nothing is charged for it.
 */
export function giveUpCall(context: EngineContext, unit: UnitOfWork, leg: LegRow, failed: Failed): void {
  if (leg.state !== 'owed') throw new Error(`call ${leg.id} is ${leg.state}, it cannot be given up`);
  unit.update('legs', leg.id, { state: 'void', reason: failed.reason });
  const request = requestOf(unit, leg);
  const { call, reason, message } = failed;
  const set = {
    failReason: reason,
    details: message.slice(0, MAX_DETAILS),
    ...(call ? { failed: JSON.stringify({ call }) } : {}),
  };
  if (factsOf(leg).executes) moveRequest(context, unit, request.id, 'nothingOwed', set, { evidence: failed.evidence });
  else failQuoted(context, unit, leg, { reason, details: message, evidence: failed.evidence, call });
  // guard: unsent-call-takes-nothing
  unit.add(releaseChanges(sponsoredOf(request), context.clock.now()));
}

/**
 * Takes from the app balance what the call burnt, at most the reservation; at the price of now.
 *
 * @param fee native coin, smallest unit; zero: nothing of it landed.
 */
export function settleCall(context: EngineContext, unit: UnitOfWork, leg: LegRow, fee: bigint): void {
  const request = requestOf(unit, leg);
  const now = context.clock.now();
  const sponsored = sponsoredOf(request);
  if (fee === 0n) return unit.add(releaseChanges(sponsored, now));
  const priced = microUsdOf(context, leg.chainId, leg.currency, fee);
  // Without a price the reservation, which was priced, bounds what is not known.
  const asked = priced === 0n ? sponsored.amount : priced;
  unit.add(settleChanges(sponsored, asked, now));
  const taken = takenOf(sponsored, asked);
  const settled = { units: ((fee * taken) / asked).toString(), microUsd: taken.toString() };
  const body = JSON.parse(request.body) as QuoteBody;
  unit.update('requests', request.id, { body: JSON.stringify({ ...body, call: { ...body.call, settled } }) });
}

/** A quoted request fails with its call, unless its deposit came; it is then not marked as gasless. */
export function failQuoted(context: EngineContext, unit: UnitOfWork, leg: LegRow, failure: OriginFailure): void {
  failOrigin(context, unit, leg, failure, (request) => {
    const quoted = JSON.parse(request.body) as QuoteBody;
    const body = {
      ...quoted,
      features: quoted.features.filter((name) => /* guard: failed-calls-mark-nothing */ !GASLESS.has(name)),
    };
    return { body: JSON.stringify(body), ...listingFacts(body) };
  });
}

const GASLESS: ReadonlySet<string> = new Set(['gasless_execution', 'gasless_swap']);

export function requestOf(unit: UnitOfWork, { id, requestId }: LegRow): RequestRow {
  const request = requestId === null ? undefined : unit.get('requests', requestId);
  if (request === undefined) throw new Error(`the request of ${id} was not loaded`);
  return request;
}
