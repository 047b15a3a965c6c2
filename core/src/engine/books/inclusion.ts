import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { KeyEvidence, LegEffect } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import type { LegRow } from '../../contract/store-rows.js';
import { priceExactInput } from '../../domain/fees.js';
import { isRecorded } from '../../domain/judge-key.js';
import { gasPosting, type MovementFact, movementPosting } from '../../domain/postings.js';
import type { QuoteBody } from '../../domain/quote.js';
import { type EngineContext, headHeight } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { reclaimInventory, releaseInventory } from './budget.js';
import { withheld } from './deposit-life.js';
import { moveRequest, noteTransaction } from './requests.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

/** What was posted when a key's transaction was included; enough to reverse it. JSON in the key's row. */
interface Inclusion {
  readonly groupId: string;
  readonly hash: string;
  readonly blockId: string;
  readonly fee: string;
  readonly native: string;
  readonly movements: readonly MovementFact[];
}

/** Records that one of a key's transactions is on the chain; another place or effect than before reverses that first. */
export function recordInclusion(
  context: EngineContext,
  unit: UnitOfWork,
  chain: ChainAdapter,
  open: OpenKey,
  spent: Spent,
): void {
  const key = unit.get('keys', open.key.id) ?? open.key;
  if (key.inclusion !== null) {
    if (isRecorded(key.inclusion, spent)) return;
    undoInclusion(context, unit, open);
  }
  const movements = spent.effects.flatMap((effect) => movement(context, unit, open, effect));
  const inclusion: Inclusion = {
    groupId: `key:${key.id}:${key.version}`,
    hash: spent.hash,
    blockId: spent.block.id,
    fee: spent.fee.toString(),
    native: chain.facts.currency.address,
    movements,
  };
  book(context, unit, open, inclusion, 1n);
  unit.update('keys', key.id, {
    includedHash: spent.hash,
    includedHeight: spent.block.height,
    inclusion: JSON.stringify(inclusion),
  });
  for (const attempt of open.attempts) {
    if (attempt.hash === spent.hash) unit.update('attempts', attempt.id, { state: spent.ok ? 'included' : 'reverted' });
  }
  const done = new Set(movements.map((fact) => fact.legId));
  for (const leg of open.legs) {
    if (done.has(leg.id)) legIncluded(context, unit, leg, spent);
    else if (!spent.ok) noteFailed(unit, leg, spent, open.legs.length > 1);
  }
}

/** A reorg dropped the inclusion: the books and the legs go back; the status of the request stays. */
export function undoInclusion(context: EngineContext, unit: UnitOfWork, open: OpenKey): void {
  const key = unit.get('keys', open.key.id) ?? open.key;
  if (key.inclusion === null) return;
  const inclusion = JSON.parse(key.inclusion) as Inclusion;
  book(context, unit, open, { ...inclusion, groupId: `${inclusion.groupId}:undo` }, -1n);
  // The windows start anew: the same bytes get their chance again before they are bumped or closed.
  const now = context.clock.now();
  const again = { firstSentAt: now, lastSentAt: null, lastSentHeight: headHeight(context, key.chainId) };
  unit.update('keys', key.id, { includedHash: null, includedHeight: null, inclusion: null, ...again });
  for (const attempt of open.attempts) {
    if (attempt.hash === inclusion.hash) unit.update('attempts', attempt.id, { state: 'sent' });
  }
  const undone = new Set(inclusion.movements.map((fact) => fact.legId));
  for (const leg of open.legs) {
    if (!undone.has(leg.id)) continue;
    if (leg.kind === 'fill') undeliver(unit, leg);
    unit.update('legs', leg.id, { includedAt: null });
  }
}

/** What it took is promised again, and nothing was delivered so far. */
function undeliver(unit: UnitOfWork, leg: LegRow): void {
  reclaimInventory(unit, leg);
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request) return;
  const { amountOut: _, ...actual } = JSON.parse(request.actual ?? '{}') as Record<string, unknown>;
  unit.update('requests', request.id, { actual: JSON.stringify(actual) });
}

function movement(context: EngineContext, unit: UnitOfWork, open: OpenKey, effect: LegEffect): MovementFact[] {
  const leg = open.legs.find((one) => one.id === effect.legId);
  if (!leg || !effect.done) return [];
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  return [
    {
      legId: leg.id,
      requestId: leg.requestId,
      kind: leg.kind,
      chainId: leg.chainId,
      signer: leg.signer,
      currency: leg.currency,
      moved: effect.moved.toString(),
      ...(effect.arrived === undefined ? {} : { arrived: effect.arrived.toString() }),
      withheld: withheld(context, leg, effect.moved).toString(),
      covers: leg.covers.toString(),
      originChainId: deposit?.chainId ?? leg.chainId,
      originCurrency: deposit?.currency ?? leg.currency,
      ...(leg.kind === 'fill' ? { appFees: appFeesOf(unit, leg) } : {}),
    },
  ];
}

/** The integrators' parts of what a fill settles, by the fee function that the quote froze. */
export function appFeesOf(unit: UnitOfWork, leg: LegRow): NonNullable<MovementFact['appFees']> {
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request) throw new Error(`the request of ${leg.id} was not loaded`);
  const { terms } = JSON.parse(request.body) as QuoteBody;
  const priced = terms.appFees.length === 0 ? undefined : priceExactInput(leg.covers, terms);
  if (!priced?.ok) return [];
  return terms.appFees.map(({ recipient }, n) => ({ recipient, amount: (priced.amounts.app[n] ?? 0n).toString() }));
}

function book(context: EngineContext, unit: UnitOfWork, open: OpenKey, inclusion: Inclusion, sign: 1n | -1n): void {
  const { chainId, signer } = open.key;
  const createdAt = context.clock.now();
  const meta = { groupId: `${inclusion.groupId}:gas`, requestId: null, legId: null, createdAt };
  unit.post(gasPosting(meta, chainId, signer, inclusion.native, BigInt(inclusion.fee), sign));
  for (const fact of inclusion.movements) unit.post(movementPosting(inclusion.groupId, fact, createdAt, sign));
}

function legIncluded(context: EngineContext, unit: UnitOfWork, leg: LegRow, spent: Spent): void {
  unit.update('legs', leg.id, { includedAt: context.clock.now() });
  if (leg.kind === 'fill') releaseInventory(unit, leg);
  if (leg.requestId === null || leg.kind === 'collect') return;
  if (leg.kind === 'fill' || leg.kind === 'refund') {
    noteTransaction(unit, {
      ...place(leg, spent),
      id: `${leg.requestId}:${leg.kind}:${leg.id}`,
      role: leg.kind,
      status: 'success',
    });
  }
  if (leg.kind === 'excess') {
    noteTransaction(unit, {
      ...place(leg, spent),
      id: `${leg.requestId}:refund:${leg.id}`,
      role: 'refund',
      status: 'success',
    });
  }
  if (leg.kind !== 'fill') return;
  const request = unit.get('requests', leg.requestId);
  if (!request) return;
  const actual = { ...(JSON.parse(request.actual ?? '{}') as object), amountOut: leg.amount.toString() };
  // An earlier inclusion that reverted and was dropped by a reorg is not this fill's story any more.
  unit.update('requests', request.id, {
    actual: JSON.stringify(actual),
    failed: null,
    details: null,
    fillTimeMs: fillTime(unit, leg, context.clock.now()),
  });
  confirmFill(context, unit, leg, spent.block.height);
}

/** From the first sight of the deposit that a fill settles to its inclusion; null where that deposit is not known. */
export function fillTime(unit: UnitOfWork, leg: LegRow, includedAt: number): number | null {
  const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
  return deposit ? Math.max(0, includedAt - deposit.seenAt) : null;
}

/**
 * `success` once an included fill has its confirmations. The chain that proves the inclusion may be a block ahead of
 * the watcher, so the including block itself always counts.
 */
export function confirmFill(context: EngineContext, unit: UnitOfWork, leg: LegRow, height: number): void {
  const head = Math.max(headHeight(context, leg.chainId), height);
  if (head - height + 1 >= context.policy.fillConfirmations) completeFill(context, unit, leg);
}

/** A status that a reorged deposit made `failure` stays. */
export function completeFill(context: EngineContext, unit: UnitOfWork, leg: LegRow): void {
  if (leg.kind !== 'fill' || leg.requestId === null) return;
  const request = unit.get('requests', leg.requestId);
  if (request?.status === 'pending') moveRequest(context, unit, request.id, 'fillSent');
  if (unit.get('requests', leg.requestId)?.status === 'submitted')
    moveRequest(context, unit, leg.requestId, 'fillIncluded');
}

/** @param shared with other legs, one of which is mostly to blame: what failed is no business of the others. */
function noteFailed(unit: UnitOfWork, leg: LegRow, spent: Spent, shared: boolean): void {
  if (leg.requestId === null || (leg.kind !== 'fill' && leg.kind !== 'refund')) return;
  const id = `${leg.requestId}:${leg.kind}:${leg.id}`;
  noteTransaction(unit, { ...place(leg, spent), id, role: 'failed', status: 'failure' });
  if (leg.kind !== 'fill') return;
  const failed = {
    txHash: spent.hash,
    block: spent.block.height,
    ...(spent.failure && !shared ? { call: spent.failure.call } : {}),
  };
  unit.update('requests', leg.requestId, {
    failed: JSON.stringify(failed),
    details: shared ? null : (spent.failure?.message.slice(0, 500) ?? null),
  });
}

function place(leg: LegRow, spent: Spent) {
  return {
    requestId: leg.requestId as `0x${string}`,
    chainId: leg.chainId,
    hash: spent.hash,
    block: spent.block.height,
    timestamp: Math.floor(spent.block.timestamp / 1000),
  };
}
