import type { Clock } from '../../contract/clock.js';
import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { Store } from '../../contract/store.js';
import type { LegRow, RequestRow } from '../../contract/store-rows.js';
import { counter } from '../../domain/accounts.js';
import { priceExactInput } from '../../domain/fees.js';
import { bytesToHex } from '../../domain/hex.js';
import { keccak256 } from '../../domain/keccak.js';
import { factsOf } from '../../domain/leg-facts.js';
import type { QuoteBody, SponsoredAmount, SponsorPromise } from '../../domain/quote.js';
import { withoutSponsor } from '../../domain/sponsored-fees.js';
import type { UnitOfWork } from '../../engine/base/unit-of-work.js';
import { reserveChanges, type SponsorCap, type Sponsored, settleChanges, takenOf } from './app-balance.js';
import { gasBeyondDeposit, type Values } from './failed-gas.js';
import { capsNow, mayStillSpend, type SponsorKey, sponsorKey } from './policy.js';

/**
 * Sponsored fees of fills.
 *
 * Invariants (G10): a fill whose amount has a sponsored part is claimed, signed and sent only while that part is
 * reserved, for which the quote's key must still be allowed to spend; the reservation ends in the change set that ends the
 * fill, or that takes its deposit away. The request's row says which reservation is open, so that each begins and ends once.
 */

/** Counters and keys that are read before a change set that reserves. */
export interface SponsorCounters {
  /** Stored total plus the counts of this unit of work. */
  total(unit: UnitOfWork, account: string): bigint;
  /** Undefined if it is not stored. */
  sponsorKey(id: string): SponsorKey | undefined;
}

export interface LoadedSponsors {
  readonly totals: ReadonlyMap<string, bigint>;
  readonly keys: ReadonlyMap<string, SponsorKey>;
}

/** Undefined without a sponsor. A text search avoids parsing most bodies. */
export function sponsoredBody(request: Pick<RequestRow, 'body'> | undefined): QuoteBody | undefined {
  if (request?.body.includes('"sponsor"') !== true) return undefined;
  const body = JSON.parse(request.body) as QuoteBody;
  return body.sponsor === undefined ? undefined : body;
}

/**
 * The keys of these quotes, and the amounts of the counters that reservations for them would change. Reads nothing where
 * there are none.
 */
export async function loadSponsors(
  {
    store,
    clock,
  }: { readonly store: Pick<Store, 'pot' | 'apiKey' | 'sponsorPolicy'>; readonly clock: Pick<Clock, 'now'> },
  quotes: readonly (QuoteBody | undefined)[],
): Promise<LoadedSponsors> {
  const ids = new Set(
    quotes.flatMap((quote) => [quote?.sponsor?.keyId, quote?.fastFill?.keyId].flatMap((id) => id ?? [])),
  );
  const found = await Promise.all([...ids].map((id) => sponsorKey(store, id)));
  const keys = new Map(found.flatMap((key) => (key === undefined ? [] : [[key.row.id, key] as const])));
  const accounts = new Set(
    quotes.flatMap((quote) => [
      ...(quote?.fastFill === undefined ? [] : [counter.available(quote.fastFill.integratorId)]),
      ...(quote?.sponsor === undefined
        ? []
        : [
            counter.available(quote.sponsor.integratorId),
            ...capsOf(quote.sponsor, keys.get(quote.sponsor.keyId ?? ''), quote.user, clock.now()).map(
              ({ account }) => account,
            ),
          ]),
    ]),
  );
  const totals = [...accounts].map(async (account) => [account, await store.pot(account)] as const);
  return { totals: new Map(await Promise.all(totals)), keys };
}

/**
 * Reserves the sponsored part of a fill, unless that is done already. False, with nothing changed, if balance or policy do not
 * allow it (any more).
 */
export function reserveFor(
  unit: UnitOfWork,
  counters: SponsorCounters,
  request: RequestRow,
  amount: SponsoredAmount,
  now: UnixMs,
): boolean {
  const body = JSON.parse(request.body) as QuoteBody;
  const { sponsor } = body;
  if (body.requestId !== request.id) return BigInt(amount.units) === 0n;
  if (sponsor === undefined || sponsor.dropped) return BigInt(amount.units) === 0n;
  if (sponsor.open) return BigInt(amount.microUsd) <= BigInt(sponsor.open.microUsd);
  if (BigInt(amount.microUsd) === 0n) return true;
  if (BigInt(amount.microUsd) > BigInt(sponsor.quoted.microUsd)) return false;
  const { reservations = 0, keyId, calls = [], integratorId } = sponsor;
  const key = keyId === undefined ? undefined : counters.sponsorKey(keyId);
  const spends = { integratorId, amount: BigInt(amount.microUsd), calls };
  // guard: reservations-need-their-key
  if (keyId !== undefined && !mayStillSpend(key, spends, now)) return false;
  const caps = capsOf(sponsor, key, body.user, now);
  const sponsored = { ...sponsoredOf(request.id, sponsor, amount, reservations), caps };
  const free = counters.total(unit, counter.available(sponsor.integratorId));
  const isFree = free >= sponsored.amount;
  const isWithin = caps.every(
    ({ account, most }) => most === undefined || counters.total(unit, account) + sponsored.amount <= most,
  );
  // guard: fills-reserve-before-claims
  if (!isFree || !isWithin) return false;
  unit.add(reserveChanges(sponsored, now));
  const counted = caps.map(({ account, most }) => ({
    account,
    ...(most === undefined ? {} : { most: most.toString() }),
  }));
  setSponsor(unit, body, { ...sponsor, counters: counted, reservations: reservations + 1, open: amount });
  return true;
}

/** @param key undefined in older rows, and where the store lacks it. */
function capsOf(
  { counters }: Pick<SponsorPromise, 'counters'>,
  key: SponsorKey | undefined,
  user: string,
  now: UnixMs,
): readonly SponsorCap[] {
  const promised = counters.map(({ account, most }) =>
    most === undefined ? { account } : { account, most: BigInt(most) },
  );
  return key === undefined ? promised : capsNow(promised, key, user, now);
}

/** The same promise paid by the user alone; null where that is below what the user accepts. */
export function unsponsored(quote: QuoteBody): QuoteBody | null {
  const terms = withoutSponsor(quote.terms);
  const priced = priceExactInput(BigInt(quote.amountIn), terms);
  // guard: unsponsored-keeps-minimum
  if (!priced.ok || priced.amounts.amountOut < BigInt(quote.minimumAmount)) return null;
  const asked = BigInt(quote.amountOut);
  const amountOut = priced.amounts.amountOut < asked ? priced.amounts.amountOut : asked;
  return { ...quote, terms, amountOut: amountOut.toString() };
}

/** The user pays the fees of this request. */
export function dropSponsor(unit: UnitOfWork, request: RequestRow): void {
  const body = JSON.parse(request.body) as QuoteBody;
  const { sponsor, terms } = body;
  if (sponsor === undefined || sponsor.dropped) return;
  if (sponsor.open) throw new Error(`the sponsor of ${request.id} is dropped while it pays`);
  const fees = terms.sponsor && { rent: terms.sponsor.rent, swap: terms.sponsor.swap };
  setSponsor(unit, { ...body, terms: withoutSponsor(terms) }, { ...sponsor, dropped: true, ...(fees ? { fees } : {}) });
}

/** Whether the fill's amount has a sponsored part that is not reserved. */
export function lacksReservation({ sponsor }: QuoteBody): boolean {
  return sponsor !== undefined && !sponsor.dropped && !sponsor.open && BigInt(sponsor.quoted.microUsd) > 0n;
}

/** Ends the reservations of fills that this unit of work ended or suspended. Called once, before it is written. */
export function endSponsored(context: Values & { readonly clock: Pick<Clock, 'now'> }, unit: UnitOfWork): void {
  const now = context.clock.now();
  for (const leg of unit.all('legs')) {
    const end = factsOf(leg).delivers ? ENDS[leg.state] : undefined;
    const request = end === undefined || leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
    const body = sponsoredBody(request);
    // A child's body repeats what its parent had reserved.
    if (request === undefined || body?.requestId !== request.id || body.sponsor?.open === undefined) continue;
    const { open, ...sponsor } = body.sponsor;
    const sponsored = sponsoredOf(request.id, sponsor, open, (sponsor.reservations ?? 1) - 1);
    const burnt = end === 'fail' ? gasBeyondDeposit(context, body, leg) : 0n;
    // guard: fill-ends-reservation
    unit.add(
      settleChanges(sponsored, end === 'settle' ? sponsored.amount : /* guard: failed-gas-is-sponsored */ burnt, now),
    );
    const taken = BigInt(sponsor.burnt ?? '0') + takenOf(sponsored, burnt);
    const ended = end === 'settle' ? { settled: open } : burnt === 0n ? {} : { burnt: taken.toString() };
    setSponsor(unit, body, { ...sponsor, ...ended });
  }
}

/** `done` is final. A suspended fill waits for a deposit that may never come back: it is reserved again then. */
const ENDS: Readonly<Partial<Record<LegRow['state'], 'settle' | 'fail' | 'release'>>> = {
  done: 'settle',
  void: 'fail',
  closed: 'fail',
  held: 'release',
  suspended: 'release',
};

function setSponsor(unit: UnitOfWork, body: QuoteBody, sponsor: SponsorPromise): void {
  unit.update('requests', body.requestId, { body: JSON.stringify({ ...body, sponsor }) });
}

/** The first reservation has the request's id, later ones (after a reorg) an id derived from it. */
function sponsoredOf(
  id: RequestId,
  { integratorId, counters }: SponsorPromise,
  { microUsd }: SponsoredAmount,
  nth: number,
): Sponsored {
  return {
    integratorId,
    requestId: nth === 0 ? id : derived(id, nth),
    shownAs: id,
    amount: BigInt(microUsd),
    caps: counters.map(({ account, most }) => (most === undefined ? { account } : { account, most: BigInt(most) })),
  };
}

function derived(id: RequestId, nth: number): RequestId {
  return bytesToHex(keccak256(new TextEncoder().encode(`${id}:reservation:${nth}`)));
}
