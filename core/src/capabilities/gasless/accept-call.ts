import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId, RequestId } from '../../contract/ids.js';
import type { RawCall } from '../../contract/raw-calls.js';
import type { ApplyOutcome, Change } from '../../contract/store.js';
import type { ApiKeyRow, LaneRow, LegRow } from '../../contract/store-rows.js';
import { counter, legId } from '../../domain/accounts.js';
import { valueMicroUsd } from '../../domain/money.js';
import { chainOf, type WorkContext } from '../../engine/base/context.js';
import { firstLook } from '../../engine/base/first-look.js';
import type { FreshLeg } from '../../engine/base/fresh-legs.js';
import { FRESH } from '../../engine/base/leg-marks.js';
import { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { requestOfQuote } from '../../engine/books/reported-deposits.js';
import { moveRequest } from '../../engine/books/requests.js';
import { reserveChanges, type Sponsored } from '../sponsorship/app-balance.js';
import { type SponsorAsk, sponsorshipOf } from '../sponsorship/policy.js';
import { callBody, quotedBody } from './call-body.js';
import type { QuotedCall } from './quoted-call.js';

/** What is not sent in this time is given up; milliseconds. */
export const CALL_LIFE_MS = 120_000;

export interface CallAsk {
  readonly chainId: ChainId;
  readonly requestId: RequestId;
  /** Simulated. */
  readonly call: RawCall;
  /** Whose limits it counts for (`ReadCall`). */
  readonly user: string;
  /** Of the lane that makes it. */
  readonly signer: string;
  /** For screeners (`ReadCall`). */
  readonly callees: readonly string[];
  /** Native coin, smallest unit: expected, and at most at current fees. */
  readonly fee: bigint;
  readonly most: bigint;
  /** Bounds the work of its transaction. */
  readonly work: bigint;
  readonly key: Pick<ApiKeyRow, 'id' | 'integratorId'>;
  readonly referrer: string | null;
  /** Whose deposit it makes; `requestId` is the quote's. Absent: none. */
  readonly quoted?: QuotedCall;
}

export interface CallAccepted {
  readonly requestId: RequestId;
}

export type CallOutcome =
  | ({ readonly ok: true } & CallAccepted)
  /**
   * `balance`: the app balance is short. `halted`: nothing is sent from the account of the calls now. `price`: the coin has
   * none now. `conflict`: another change set took a row of `also`, or this request id.
   */
  | { readonly ok: false; readonly why: 'balance' | 'halted' | 'price' | 'conflict' }
  /** The key's policy refuses it. */
  | { readonly ok: false; readonly why: 'policy'; readonly message: string; readonly rule?: string };

type Conflict = Extract<ApplyOutcome, { ok: false }>['conflict'];

/**
 * Invariant (G10): request, leg, reservation and the caller's own changes are one change set: a call is owed only with
 * its whole possible fee reserved, and only once under its id.
 */
export async function acceptCall(
  context: WorkContext,
  ask: CallAsk,
  also: (answer: CallAccepted) => readonly Change[],
): Promise<CallOutcome> {
  const { chainId, requestId } = ask;
  const chain = chainOf(context, chainId);
  const { currency } = chain.facts;
  const price = context.prices.price(currency);
  if (!price.ok) return { ok: false, why: 'price' };
  const amount = valueMicroUsd(ask.most, currency.decimals, price.usd, 'ceil');
  const [lane, sponsorship] = await Promise.all([
    firstLook((asOf) => context.store.lane(chainId, ask.signer, asOf), isClosed),
    sponsorshipOf(context.store, sponsorAsk(ask, amount > 0n ? amount : 1n), context.clock.now()),
  ]);
  if (isClosed(lane)) return { ok: false, why: 'halted' };
  if (!sponsorship.ok) return { ok: false, why: 'policy', message: sponsorship.message, rule: sponsorship.rule };
  // The fees of a quote may have a reservation under its own id.
  const sponsored = ask.quoted
    ? { ...sponsorship.sponsored, requestId: context.random.hex(32), shownAs: requestId }
    : sponsorship.sponsored;
  const unit = owe(context, chain, ask, sponsored, price.usd);
  // guard: calls-are-reserved
  unit.add(reserveChanges(sponsored, context.clock.now()));
  unit.add(also({ requestId }));
  const outcome = await context.tenure.apply(unit.toChangeSet('engine.calls.accept'));
  if (outcome.ok) {
    context.log.info({ requestId, chainId, integrator: sponsored.integratorId }, 'a call for others was accepted');
    context.wakeLane(chainId, ask.signer, ask.quoted ? undefined : freshOf(unit, requestId));
    return { ok: true, requestId };
  }
  return refusalOf(outcome.conflict, sponsored);
}

/** A lane that is not opened yet, or halted. It is looked at again before it signs. */
function isClosed(lane: LaneRow | undefined): boolean {
  return lane === undefined || lane.halted !== null;
}

/** As inserted: both rows have their first version. */
function freshOf(unit: UnitOfWork, requestId: RequestId): FreshLeg | undefined {
  const [leg, request] = [unit.get('legs', legId.call(requestId)), unit.get('requests', requestId)];
  return leg && request && { leg, request };
}

function refusalOf({ kind, table, key }: Conflict, { integratorId, caps }: Sponsored): CallOutcome {
  if (kind !== 'bound' || table !== 'pots') return { ok: false, why: 'conflict' };
  if (key === counter.available(integratorId)) return { ok: false, why: 'balance' };
  const rule = caps?.find(({ account }) => account === key)?.rule;
  const message = `other calls just used up ${rule ?? 'a limit'} of the policy`;
  return { ok: false, why: 'policy', message, ...(rule === undefined ? {} : { rule }) };
}

/** @param amount to reserve, micro-USD. */
export function sponsorAsk(
  { key, requestId, chainId, call, user }: Pick<CallAsk, 'key' | 'requestId' | 'chainId' | 'call' | 'user'>,
  amount: bigint,
): SponsorAsk {
  return { key, requestId, user, amount, calls: [{ chainId, to: call.to, data: call.data }] };
}

function owe(context: WorkContext, chain: ChainAdapter, ask: CallAsk, sponsored: Sponsored, usd: string): UnitOfWork {
  const { call, requestId, key, callees, referrer } = ask;
  const { facts } = chain;
  const now = context.clock.now();
  const latest = now + CALL_LIFE_MS;
  // What is deposited after the ttl would only go back.
  const deadlineAt = Math.min(latest, ask.quoted?.body.ttlAt ?? latest);
  const { network, solverChain } = context.policy;
  const promise = {
    ...{ to: call.to, data: call.data, authorizations: call.authorizations },
    ...{ integratorId: sponsored.integratorId, reserved: sponsored.amount.toString(), fee: ask.fee.toString() },
    caps: (sponsored.caps ?? []).map(({ account }) => account),
    ...(ask.quoted ? { reservation: sponsored.requestId, callees } : {}),
  };
  const unit = new UnitOfWork();
  unit.insert('legs', legOf(context, ask, now, deadlineAt));
  if (ask.quoted) {
    const { row, body } = ask.quoted;
    unit.insert('requests', requestOfQuote(context, quotedBody(body, promise), row, null, null));
    moveRequest(context, unit, requestId, 'originSent');
    return unit;
  }
  const orderId = context.random.hex(32);
  const terms = {
    requestId,
    orderId,
    call: promise,
    chain: facts,
    solverChain,
    usd,
    callees,
    referrer,
    now,
    deadlineAt,
  };
  const made = { keyId: key.id, amountUsd: 0, createdAt: now, network };
  unit.insert('requests', requestOfQuote(context, callBody(terms), made, null, null));
  moveRequest(context, unit, requestId, 'executeAccepted');
  return unit;
}

function legOf(
  context: WorkContext,
  { chainId, requestId, call, signer, work, quoted }: CallAsk,
  now: number,
  until: number,
): LegRow {
  const { currency } = chainOf(context, chainId).facts;
  return {
    ...(quoted
      ? { id: legId.originCall(requestId), kind: 'originCall' as const }
      : { id: legId.call(requestId), kind: 'call' as const }),
    ...{ version: 1, requestId, fundingKey: null, state: 'owed' },
    ...{ chainId, signer, currency: currency.address, amount: 0n, covers: 0n },
    ...{ recipient: call.to, orderId: null, deadlineAt: until, key: null, reason: null, dueAt: now },
    ...{ includedAt: null, claimedAt: null, work, spent: 0n, ...FRESH, joined: null, createdAt: now },
  };
}
