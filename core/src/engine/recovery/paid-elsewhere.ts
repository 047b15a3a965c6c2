import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegPaid } from '../../contract/legs.js';
import type { DepositRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { account, legId } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import { equityPosting, movementPosting } from '../../domain/postings.js';
import type { QuoteBody } from '../../domain/quote.js';
import { decideAndCommit, type EngineContext, type WorkContext } from '../base/context.js';
import { instructionOf } from '../base/instruction.js';
import { FALLBACK } from '../base/leg-marks.js';
import { loadViews } from '../base/load.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { expose, releaseInventory } from '../books/budget.js';
import { releaseValue } from '../books/deposit-life.js';
import { loadJoined } from '../books/joined-legs.js';
import { arrivesAt, completeFill, deliveredBy, fillTime, movementOf, noteOnChain } from '../books/settled-leg.js';
import { isCounted } from './foreign-fills.js';
import { sinceOfDeposit, sinceOfLeg } from './since.js';

/**
 * Settles legs that a transaction unknown to this ledger carried out.
 *
 * Invariant: only the leg itself spends its once-only use. A refund is trusted for its use key, which only the
 * solver's allocator signs; a fill only if one of the solver's lanes sent it and paid the leg's recipient at least
 * the owed amount. Nothing is settled before finality.
 */
export async function settlePaid(
  context: WorkContext,
  chain: ChainAdapter,
  leg: LegRow,
): Promise<'paid' | 'wait' | 'no'> {
  const paid = await chain.paidBy(instructionOf(context, chain, leg), await sinceOfLeg(context, leg));
  if (!paid || !isOurs(context, chain, leg, paid)) return 'no';
  if (!paid.final) return 'wait';
  await decideAndCommit(context, 'engine.paid', async () => {
    const unit = new UnitOfWork();
    const [row] = await context.store.legs([leg.id]);
    if (row && (row.state === 'owed' || row.state === 'short')) {
      unit.load('legs', row);
      if (row.requestId !== null) await loadViews(context, unit, [row.requestId]);
      await loadJoined(context, unit, [row]);
      bookPaid(context, unit, row, paid, await isCounted(context, row, paid));
    }
    return { work: unit, result: undefined };
  });
  context.log.warn({ leg: leg.id, hash: paid.hash }, 'a leg was carried out by a transaction unknown to this ledger');
  return 'paid';
}

/** Final and the solver's own: may be booked as such. */
export function settles(context: EngineContext, chain: ChainAdapter, leg: LegRow, paid: LegPaid): boolean {
  return paid.final && isOurs(context, chain, leg, paid);
}

function isOurs(context: EngineContext, chain: ChainAdapter, leg: LegRow, paid: LegPaid): boolean {
  return !paid.doubtful && paid.currency === leg.currency && context.kinds.of(leg).isOurs(chain, leg, paid);
}

export function bookPaid(context: EngineContext, unit: UnitOfWork, leg: LegRow, paid: LegPaid, counted: boolean): void {
  const now = context.clock.now();
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  unit.update('legs', leg.id, { state: 'done', amount: paid.moved, includedAt: now });
  const groupId = `paid:${leg.id}`;
  const rules = context.kinds.of(leg);
  unit.post(movementPosting(groupId, movementOf(context, unit, leg, paid), rules.lines, now, 1n));
  const pot = account.inventory(leg.chainId, arrivesAt(leg), leg.currency);
  const meta = { groupId: `${groupId}:counted`, requestId: leg.requestId, legId: leg.id, createdAt: now };
  const apart = rules.countedApart(context, leg, paid, counted);
  unit.post(equityPosting(meta, pot, 'inflow', leg.chainId, leg.currency, apart));
  noteOnChain(context, unit, leg, paid);
  rules.onPaidElsewhere(context, unit, leg, paid, deposit);
  if (leg.fundingKey !== null) releaseValue(context, unit, leg.fundingKey);
}

export function deliverElsewhere(
  context: EngineContext,
  unit: UnitOfWork,
  leg: LegRow,
  paid: LegPaid,
  deposit: DepositRow | undefined,
): void {
  if (leg.state !== 'short') releaseInventory(unit, leg);
  else if (deposit?.state === 'included') expose(unit, deposit, 1n);
  const requestId = leg.requestId as `0x${string}`;
  const request = unit.get('requests', requestId);
  const isFallback = request !== undefined && fellBack(request, paid);
  if (isFallback) unit.update('legs', leg.id, { reason: FALLBACK });
  const made = isFallback ? { reason: FALLBACK } : leg;
  const delivered = request
    ? deliveredBy(request, made, paid.moved, paid.brought)
    : { amountOut: paid.moved.toString() };
  const actual = { ...(JSON.parse(request?.actual ?? '{}') as object), ...delivered };
  const fillTimeMs = fillTime(unit, leg, paid.block.timestamp);
  unit.update('requests', requestId, { actual: JSON.stringify(actual), fillTimeMs });
  completeFill(context, unit, { ...leg, state: 'done' });
}

/** The fallback was paid: no exchange, and no calls that would hide it. */
function fellBack({ body }: Pick<RequestRow, 'body'>, { brought }: LegPaid): boolean {
  const { swapOut, order } = JSON.parse(body) as QuoteBody;
  return swapOut?.fallback === true && order.output.calls.length === 0 && brought === undefined;
}

/** Whether a lost send refunded the fill's deposit. Asked only for deposits older than a ledger with lost sends. */
export async function isRefundedElsewhere(context: WorkContext, leg: LegRow): Promise<boolean> {
  const [deposit] = leg.fundingKey === null ? [] : await context.store.deposits([leg.fundingKey]);
  const origin = deposit && context.chains.get(deposit.chainId);
  if (!deposit || !origin) return false;
  const refund: LegRow = {
    ...leg,
    id: legId.refund(deposit.fundingKey),
    kind: 'refund',
    chainId: deposit.chainId,
    currency: deposit.currency,
  };
  return (await origin.paidBy(instructionOf(context, origin, refund), sinceOfDeposit(deposit))) !== undefined;
}

/**
 * Whether a lost send refunded a top-up's part of the deposit, under the excess leg. Impossible where this ledger
 * already owes that leg.
 */
export async function isPartRefunded(context: WorkContext, leg: LegRow): Promise<boolean> {
  const [deposit] = leg.fundingKey === null ? [] : await context.store.deposits([leg.fundingKey]);
  const origin = deposit && context.chains.get(deposit.chainId);
  if (!deposit || !origin) return false;
  const id = legId.excess(deposit.fundingKey);
  const [own] = await context.store.legs([id]);
  if (own && own.state !== 'void') return false;
  const excess: LegRow = { ...leg, id, kind: 'excess', chainId: deposit.chainId, currency: deposit.currency };
  return (await origin.paidBy(instructionOf(context, origin, excess), sinceOfDeposit(deposit))) !== undefined;
}

const SIGNED_STATES: ReadonlySet<string> = new Set(['bound', 'done', 'closed']);

/**
 * Whether a lost send refunded a deposit under the other of refund and excess: each has its own use key, so the chain
 * would let both go out.
 */
export async function isSiblingPaid(context: WorkContext, chain: ChainAdapter, leg: LegRow): Promise<boolean> {
  const facts = factsOf(leg);
  if (!facts.refundsPayer || leg.fundingKey === null) return false;
  const kind = facts.replacesFill ? 'excess' : 'refund';
  const id = legId[kind](leg.fundingKey);
  const [own] = await context.store.legs([id]);
  if (own && SIGNED_STATES.has(own.state)) return false;
  const sibling: LegRow = { ...leg, id, kind };
  return (await chain.paidBy(instructionOf(context, chain, sibling), await sinceOfLeg(context, sibling))) !== undefined;
}
