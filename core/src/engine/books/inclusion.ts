import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { KeyEvidence, LegEffect, PotRef } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import type { KeyRow, LegRow } from '../../contract/store-rows.js';
import { isRecorded } from '../../domain/judge-key.js';
import { endsRequest, factsOf } from '../../domain/leg-facts.js';
import { failureOf } from '../../domain/leg-failure.js';
import { gasPosting, type MovementFact, movementPosting } from '../../domain/postings.js';
import { accountOfPot } from '../../domain/pots.js';
import { withoutInnerTopUps } from '../../domain/top-up-legs.js';
import { type EngineContext, headHeight } from '../base/context.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { reclaimInventory, releaseInventory } from './budget.js';
import { noteTransaction } from './requests.js';
import { completeFill, deliveredBy, fillTime, movementOf, noteOnChain, placeOnChain } from './settled-leg.js';
import { topUpOf } from './top-up-leg.js';

type Spent = Extract<KeyEvidence, { state: 'spent' }>;

/** Enough to reverse the postings of an inclusion. JSON in the key's row. */
interface Inclusion {
  readonly groupId: string;
  readonly hash: string;
  readonly blockId: string;
  readonly fee: string;
  /** Absent in older rows: the lane of the key. */
  readonly feePaidBy?: PotRef;
  readonly native: string;
  readonly movements: readonly MovementFact[];
}

export function bookedMovements({ inclusion }: Pick<KeyRow, 'inclusion'>): readonly MovementFact[] {
  return inclusion === null ? [] : (JSON.parse(inclusion) as Inclusion).movements;
}

/** Ends the group of the network fee of a transaction that moved nothing: a failure, or the closing of its key. */
export const WITHOUT_EFFECT = 'failed';

/** Reverses an earlier inclusion at another place or with another effect first. */
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
    feePaidBy: spent.feePaidBy,
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
    if (done.has(leg.id)) {
      unit.update('legs', leg.id, { includedAt: context.clock.now() });
      context.kinds.of(leg).onIncluded(context, unit, leg, spent);
    } else if (!spent.ok || cameBack(leg, spent))
      noteFailed(context, unit, leg, spent, withoutInnerTopUps(open.legs).length > 1);
  }
}

/** A reorg dropped the inclusion. The request's status stays. */
export function undoInclusion(context: EngineContext, unit: UnitOfWork, open: OpenKey): void {
  const key = unit.get('keys', open.key.id) ?? open.key;
  if (key.inclusion === null) return;
  const inclusion = JSON.parse(key.inclusion) as Inclusion;
  book(context, unit, open, { ...inclusion, groupId: `${inclusion.groupId}:undo` }, -1n);
  // The same bytes get another chance before they are bumped or closed.
  const now = context.clock.now();
  const again = { firstSentAt: now, lastSentAt: null, lastSentHeight: headHeight(context, key.chainId) };
  unit.update('keys', key.id, { includedHash: null, includedHeight: null, inclusion: null, ...again });
  for (const attempt of open.attempts) {
    if (attempt.hash === inclusion.hash) unit.update('attempts', attempt.id, { state: 'sent' });
  }
  const undone = new Set(inclusion.movements.map((fact) => fact.legId));
  for (const leg of open.legs) {
    if (!undone.has(leg.id)) continue;
    context.kinds.of(leg).onUndone(unit, leg);
    unit.update('legs', leg.id, { includedAt: null });
  }
}

export function undeliver(unit: UnitOfWork, leg: LegRow): void {
  reclaimInventory(unit, leg);
  const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
  if (!request) return;
  const { amountOut: _, given: _given, ...actual } = JSON.parse(request.actual ?? '{}') as Record<string, unknown>;
  unit.update('requests', request.id, { actual: JSON.stringify(actual) });
}

function movement(context: EngineContext, unit: UnitOfWork, open: OpenKey, effect: LegEffect): MovementFact[] {
  const leg = open.legs.find((one) => one.id === effect.legId);
  return leg && effect.done ? [movementOf(context, unit, leg, effect)] : [];
}

function book(context: EngineContext, unit: UnitOfWork, open: OpenKey, inclusion: Inclusion, sign: 1n | -1n): void {
  const { chainId, signer } = open.key;
  const createdAt = context.clock.now();
  const requestIds = new Set(open.legs.map(({ requestId }) => requestId));
  // Of a transaction for several requests, none's.
  const [requestId = null] = requestIds.size === 1 ? requestIds : [];
  const legId = open.legs.length === 1 ? (open.legs[0]?.id ?? null) : null;
  const groupId = `${inclusion.groupId}:${inclusion.movements.length === 0 ? WITHOUT_EFFECT : 'gas'}`;
  const meta = { groupId, requestId, legId, createdAt };
  const { native, feePaidBy = { pot: 'lane', owner: signer } } = inclusion;
  unit.post(gasPosting(meta, chainId, accountOfPot(chainId, feePaidBy, native), native, BigInt(inclusion.fee), sign));
  for (const fact of inclusion.movements)
    unit.post(movementPosting(inclusion.groupId, fact, context.kinds.of(fact).lines, createdAt, sign));
}

export function deliver(context: EngineContext, unit: UnitOfWork, leg: LegRow, spent: Spent): void {
  releaseInventory(unit, leg);
  if (leg.requestId === null) return;
  noteOnChain(context, unit, leg, spent);
  const request = unit.get('requests', leg.requestId);
  if (!request) return;
  const brought = spent.effects.find(({ legId }) => legId === leg.id)?.brought;
  const actual = {
    ...(JSON.parse(request.actual ?? '{}') as object),
    ...deliveredBy(request, leg, leg.amount, brought),
  };
  // Clears an earlier inclusion that reverted and was reorged out.
  unit.update('requests', request.id, {
    actual: JSON.stringify(actual),
    failed: null,
    details: null,
    fillTimeMs: fillTime(unit, leg, context.clock.now()),
  });
  const extra = topUpOf(unit, leg);
  if (extra?.state === 'owed' || extra?.state === 'short')
    unit.update('legs', extra.id, { dueAt: context.clock.now() });
  confirmFill(context, unit, leg, spent.block.height);
}

/** The proving chain may be a block ahead of the watcher, so the including block always counts. */
export function confirmFill(context: EngineContext, unit: UnitOfWork, leg: LegRow, height: number): void {
  const head = Math.max(headHeight(context, leg.chainId), height);
  if (head - height + 1 >= context.policy.fillConfirmations) completeFill(context, unit, leg);
}

function cameBack({ id }: LegRow, { effects }: Spent): boolean {
  return effects.some(({ legId, returned }) => legId === id && returned);
}

/** @param shared with other legs, which may be to blame. */
function noteFailed(context: EngineContext, unit: UnitOfWork, leg: LegRow, spent: Spent, shared: boolean): void {
  const { role, delivers, executes } = factsOf(leg);
  if (leg.requestId === null || !endsRequest(leg)) return;
  const id = `${leg.requestId}:${role}:${leg.id}`;
  noteTransaction(context, unit, { ...placeOnChain(leg, spent), id, role: 'failed', status: 'failure' });
  if (!delivers && !executes) return;
  const failure = failureOf(leg, spent, shared);
  const failed = { txHash: spent.hash, block: spent.block.height, ...(failure ? { call: failure.call } : {}) };
  unit.update('requests', leg.requestId, {
    failed: JSON.stringify(failed),
    details: failure?.message.slice(0, 500) ?? null,
  });
}
