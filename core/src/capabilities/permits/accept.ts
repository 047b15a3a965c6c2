import type { Hex } from '../../contract/ids.js';
import type { LegRow, QuoteRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import type { PermitPromise, QuoteBody } from '../../domain/quote.js';
import { chainOf, type WorkContext } from '../../engine/base/context.js';
import { FRESH } from '../../engine/base/leg-marks.js';
import { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { requestOfQuote } from '../../engine/books/reported-deposits.js';
import { moveRequest } from '../../engine/books/requests.js';
import type { CallLanes } from '../gasless/call-lanes.js';

export interface PermitAsk {
  readonly quote: QuoteRow;
  /** Tried: it would deposit. */
  readonly call: { readonly to: string; readonly data: Hex };
  /** Lower case. */
  readonly signature: string;
}

export type PermitOutcome =
  | { readonly ok: true }
  /** `halted`: no account that makes calls can send one now. `taken`: the order is paid for, or a permit for it accepted. */
  | { readonly ok: false; readonly why: 'halted' | 'taken' };

/**
 * Invariant: request and leg are one change set, and the request's id is the quote's: of several signatures and deposits for
 * one order, one is first, and the others find it.
 */
export async function acceptPermit(
  context: WorkContext,
  lanes: Pick<CallLanes, 'of'>,
  { quote, call, signature }: PermitAsk,
): Promise<PermitOutcome> {
  const body = JSON.parse(quote.body) as QuoteBody;
  const { permit } = body;
  if (permit === undefined) throw new Error(`${quote.id} was quoted without a permit`);
  const { chainId } = body.origin;
  const [signer] = await lanes.of(chainOf(context, chainId));
  if (signer === undefined) return { ok: false, why: 'halted' };
  const accepted: QuoteBody = { ...body, permit: { ...permit, accepted: { ...call, signature } } };
  const unit = new UnitOfWork();
  unit.insert('requests', requestOfQuote(context, accepted, quote, null, null));
  unit.insert('legs', legOf(context, accepted, permit, { to: call.to, signer }));
  moveRequest(context, unit, quote.id, 'originSent');
  const outcome = await context.tenure.apply(unit.toChangeSet('engine.permits.accept'));
  if (!outcome.ok) return { ok: false, why: 'taken' };
  context.log.info({ requestId: quote.id, chainId }, 'a permit was accepted');
  context.wake(chainId);
  return { ok: true };
}

function legOf(
  context: WorkContext,
  { requestId, origin, ttlAt }: QuoteBody,
  permit: PermitPromise,
  { to, signer }: { readonly to: string; readonly signer: string },
): LegRow {
  const now = context.clock.now();
  const { currency } = chainOf(context, origin.chainId).facts;
  // What is deposited after the ttl would only go back.
  const deadlineAt = Math.min(permit.deadlineAt, ttlAt ?? permit.deadlineAt);
  return {
    ...{ id: legId.permit(requestId), version: 1, requestId, fundingKey: null, kind: 'permit', state: 'owed' },
    ...{ chainId: origin.chainId, signer },
    ...{ currency: currency.address, amount: 0n, covers: 0n, recipient: to, orderId: null },
    ...{ deadlineAt, key: null, reason: null, dueAt: now, includedAt: null, claimedAt: null },
    ...{ work: BigInt(permit.work), spent: 0n, ...FRESH, joined: null, createdAt: now },
  };
}
