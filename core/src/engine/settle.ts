import type { ChainAdapter } from '../contract/chain-adapter.js';
import type {
  LanePosition,
  LegCheck,
  LegInstruction,
  Prepared,
  PrepareOutcome,
  SignedTransaction,
} from '../contract/legs.js';
import { CommitUnknownError } from '../contract/store.js';
import type { LaneRow, LegRow, RequestRow } from '../contract/store-rows.js';
import type { QuoteBody } from '../domain/quote.js';
import { commit, decideAndCommit, mayWork, type WorkContext } from './context.js';
import { holdLeg, voidFill } from './give-up.js';
import { inParallel } from './in-parallel.js';
import { instructionOf } from './instruction.js';
import { isInfrastructure, isolate } from './isolate.js';
import { loadViews } from './load.js';
import { fateOfRequest } from './order-fate.js';
import { isRefundedElsewhere, isSiblingPaid, settlePaid } from './paid-elsewhere.js';
import { pauseOf, poisonAlert, postpone, postponePoison } from './poison.js';
import { type Sendable, sendAndRecord } from './send.js';
import { sinceOfLeg } from './since.js';
import { type Ready, triage } from './triage.js';
import { UnitOfWork } from './unit-of-work.js';

const CHUNK = 50;
const CHECKS_AT_ONCE = 16;
const RETRY_MS = 1_000;

interface Checked {
  readonly ready: Ready;
  readonly instruction: LegInstruction;
  readonly check: LegCheck;
}

interface Signed {
  readonly ready: Ready;
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
}

/**
 * Executes what a lane owes: triage, ask the chain, sign, make the bytes durable, send.
 *
 * Invariants: bytes are durable before they are sent (G5); the lane's position, the key, its first attempt and the
 * legs bound to it are one change set, so no two legs share a key and no key has two first attempts (G1).
 * Bytes that were signed but did not commit are dropped with the memory that held them and were never sent.
 *
 * @returns true when there may be more to do at once.
 */
export async function settleLane(context: WorkContext, chain: ChainAdapter, signer: string): Promise<boolean> {
  const { store, clock } = context;
  const chainId = chain.facts.id;
  const due = await store.claimDue(chainId, signer, clock.now(), CHUNK);
  if (due.length === 0) return false;
  const ready = await triageApart(context, chain, signer, due);
  if (ready === null) return false;
  const answers = await inParallel(ready, CHECKS_AT_ONCE, (one) => ask(context, chain, signer, one));
  const checked = answers.flatMap((one) => one ?? []);
  await refuse(context, chain, checked);
  const good = checked.filter((one) => one.check.ok);
  const durable = good.length === 0 || !mayWork(context) ? [] : await signAll(context, chain, signer, good);
  if (durable.length > 0) {
    await sendAndRecord(context, chain, durable);
  }
  // Legs that stay due as they are, as when the signer is out of gas, would be found again at once, for ever.
  const moved = ready.length < due.length || good.length < ready.length || durable.length > 0;
  return moved && due.length === CHUNK;
}

/** Triage of all at once; a leg that throws is set aside, and the others get their turn. Null while the lane is halted. */
async function triageApart(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  due: readonly LegRow[],
): Promise<readonly Ready[] | null> {
  const ready: Ready[] = [];
  let halted = false;
  let fresh = true;
  await isolate(
    due,
    async (some) => {
      // What failed as a whole may have been committed all the same.
      const first = fresh;
      fresh = false;
      const part = await triage(context, chain, signer, some, first);
      if (part === null) halted = true;
      else ready.push(...part);
      for (const leg of some) context.alerts.clear(poisonAlert(leg));
    },
    (leg, error) => postponePoison(context, leg, error),
  );
  return halted ? null : ready;
}

/** Its deposit was paid back by something this ledger does not know: it is given up, and the refund is found done. */
const REFUNDED: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'DOUBLE_SPEND',
  message: 'the deposit was paid back by a transaction that this ledger does not know',
};

/** Its deposit was paid back under another leg: what is left of it is for an operator to tell. */
const PAID_OTHERWISE: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'DOUBLE_SPEND',
  message: 'its deposit was paid back under another leg by a transaction that this ledger does not know',
};

/** It was done by something this ledger does not know. A chain that only tries the payment would let it go out once more. */
const DONE: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'INVALID_NONCE',
  message: 'it was paid by a transaction that this ledger does not know',
};

/** Its order was filled by something this ledger does not know: unless it was paid back as well, it is held. */
const DOUBTFUL: LegCheck = {
  ok: false,
  kind: 'refused',
  reason: 'ORDER_ALREADY_FILLED',
  message: 'its order was filled by a transaction that this ledger does not know',
};

/** Its order may be filled yet by something this ledger does not know: it waits for the proof that it is not. */
const MAY_BE_FILLED: LegCheck = {
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'its order may still be filled by a transaction that this ledger does not know',
};

/** Its deposit may be paid back yet by something this ledger does not know: it is not filled, and late one day. */
const MAY_BE_REFUNDED: LegCheck = {
  ok: false,
  kind: 'unavailable',
  reason: 'UNKNOWN',
  message: 'its deposit may still be paid back by a transaction that this ledger does not know',
};

/** What the chain says when the once-only use of a leg is spent. */
function isSpent(leg: LegRow, check: Extract<LegCheck, { ok: false }>): boolean {
  return check.reason === 'ORDER_ALREADY_FILLED' || (leg.kind !== 'fill' && check.reason === 'INVALID_NONCE');
}

async function ask(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  ready: Ready,
): Promise<Checked | undefined> {
  try {
    const instruction = bounded(instructionOf(context, chain, { ...ready.leg, amount: ready.amount }), ready.request);
    if (ready.doubt === 'hold') return { ready, instruction, check: DOUBTFUL };
    if (ready.maybeDone && (await chain.paidBy(instruction, await sinceOfLeg(context, ready.leg))))
      return { ready, instruction, check: ready.leg.kind === 'fill' ? DOUBTFUL : DONE };
    if (ready.maybePaid && (await isSiblingPaid(context, chain, ready.leg)))
      return { ready, instruction, check: PAID_OTHERWISE };
    if (ready.doubt === 'ask') {
      const answer = ready.leg.kind === 'fill' ? await askOrigin(context, ready) : await askDestination(context, ready);
      if (answer) return { ready, instruction, check: answer };
    }
    const check = await chain.check(instruction, signer);
    return {
      ready,
      instruction,
      check: ready.doubt === 'idle' ? await askIdle(context, chain, ready, instruction, check) : check,
    };
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    await postponePoison(context, ready.leg, error);
    return undefined;
  }
}

/** A fill costs no more for an account of its recipient than the quote charged: one that is there may be gone by then. */
function bounded(instruction: LegInstruction, request: RequestRow | undefined): LegInstruction {
  if (instruction.kind !== 'fill' || request === undefined) return instruction;
  const { fillRent } = JSON.parse(request.body) as QuoteBody;
  return fillRent === undefined ? instruction : { ...instruction, mostRent: BigInt(fillRent) };
}

/** What a fill that is not made comes to: it was made by something this ledger does not know, or is late one day. */
async function askIdle(
  context: WorkContext,
  chain: ChainAdapter,
  { leg, late }: Ready,
  instruction: LegInstruction,
  check: LegCheck,
): Promise<LegCheck> {
  if (!check.ok && check.kind === 'refused') return check;
  // One who could not fill it anyway, as for want of funds or of the right to, is told so first; and where no contract
  // refuses a second fill, the first one is in the way of nothing.
  if (await chain.paidBy(instruction, await sinceOfLeg(context, leg))) return DOUBTFUL;
  if (late === null) return MAY_BE_REFUNDED;
  return { ok: false, kind: 'refused', reason: late, message: 'it was not made, and is late' };
}

/** Undefined where a deposit was not paid back by anything: it may be filled. */
async function askOrigin(context: WorkContext, { leg }: Ready): Promise<LegCheck | undefined> {
  return (await isRefundedElsewhere(context, leg)) ? REFUNDED : undefined;
}

/** Undefined where an order was not filled by anything and never can be: its deposit may be paid back. */
async function askDestination(context: WorkContext, { request }: Ready): Promise<LegCheck | undefined> {
  const fate = request ? await fateOfRequest(context, request) : 'unfilled';
  if (fate === 'unfilled') return undefined;
  return fate === 'filled' ? DOUBTFUL : MAY_BE_FILLED;
}

/** Writes what the chain's refusals mean; what was only unavailable is asked again later. */
async function refuse(context: WorkContext, chain: ChainAdapter, checked: readonly Checked[]): Promise<void> {
  const refused = checked.filter((one) => !one.check.ok);
  await isolate(
    refused,
    async (some) => {
      for (const one of some) await refuseOne(context, chain, one);
    },
    ({ ready }, error) => postponePoison(context, ready.leg, error),
  );
}

async function refuseOne(context: WorkContext, chain: ChainAdapter, { ready, check }: Checked): Promise<void> {
  if (check.ok) return;
  if (check.kind === 'refused' && isSpent(ready.leg, check)) {
    const found = await settlePaid(context, chain, ready.leg);
    if (found === 'paid') return;
    if (found === 'wait') return postpone(context, ready.leg, RETRY_MS);
  }
  await decideAndCommit(context, 'engine.refuse', async () => {
    const unit = new UnitOfWork();
    const [leg] = await context.store.legs([ready.leg.id]);
    if (leg?.version !== ready.leg.version) return { work: unit, result: undefined };
    unit.load('legs', leg);
    if (leg.requestId !== null) await loadViews(context, unit, [leg.requestId]);
    if (check.kind === 'unavailable') {
      unit.update('legs', leg.id, { dueAt: context.clock.now() + pauseOf(context, leg, RETRY_MS) });
    } else if (leg.kind === 'fill' && check.reason === 'ORDER_ALREADY_FILLED') {
      holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED');
    } else if (leg.kind === 'fill') {
      voidFill(context, unit, leg, check.reason, check.failedCallData);
    } else if (leg.kind === 'collect') {
      unit.update('legs', leg.id, {
        dueAt: context.clock.now() + 30 * RETRY_MS,
        reason: check.message.slice(0, 200),
      });
    } else {
      if (check.reason === 'ORDER_ALREADY_FILLED' && leg.requestId !== null)
        unit.update('requests', leg.requestId, { failReason: check.reason });
      holdLeg(context, unit, leg, 'MANUAL_REFUND_REQUIRED');
    }
    return { work: unit, result: undefined };
  });
  context.log.info(
    { leg: ready.leg.id, kind: check.kind, reason: check.reason, message: check.message },
    'leg not executable',
  );
}

/** Signs in lane order and commits everything at once; nothing leaves this function unless it is durable. */
async function signAll(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  good: readonly Checked[],
): Promise<readonly Sendable[]> {
  const lane = await context.store.lane(chain.facts.id, signer);
  if (!lane || lane.halted !== null) return [];
  let position = lane.position;
  const signed: Signed[] = [];
  for (const { ready, instruction, check } of good) {
    if (!check.ok) continue;
    const outcome = await prepareOne(context, chain, { signer, position }, ready, instruction, check.plan);
    // It takes no position: the next leg gets the one that it would have had.
    if (outcome === undefined) continue;
    if (!outcome.ok) {
      if (outcome.why === 'noGas')
        context.alerts.raise(`gas:${lane.id}`, 'The signer cannot pay for gas', { signer, chainId: chain.facts.id });
      context.log.warn({ leg: ready.leg.id, why: outcome.why, message: outcome.message }, 'cannot prepare');
      break;
    }
    const { prepared, transaction } = outcome;
    signed.push({ ready, prepared, transaction });
    position = outcome.prepared.nextPosition;
  }
  if (signed.length === 0) return [];
  const { unit, sendable } = bind(context, chain, lane, position, signed);
  try {
    const outcome = await commit(context, 'engine.settle.sign', unit);
    return outcome.ok ? sendable : [];
  } catch (error) {
    // Not known whether the bytes are durable: the tracker finds them if they are; nothing is sent from here.
    if (error instanceof CommitUnknownError) return [];
    throw error;
  }
}

type Made =
  | { readonly ok: true; readonly prepared: Prepared; readonly transaction: SignedTransaction }
  | Extract<PrepareOutcome, { ok: false }>;

async function prepareOne(
  context: WorkContext,
  chain: ChainAdapter,
  lane: LanePosition,
  ready: Ready,
  leg: LegInstruction,
  plan: string,
): Promise<Made | undefined> {
  try {
    const outcome = await chain.prepare({ lane, legs: [{ leg, plan }] });
    if (!outcome.ok) return outcome;
    const { prepared } = outcome;
    return { ok: true, prepared, transaction: await chain.sign(prepared, lane.signer) };
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    await postponePoison(context, ready.leg, error);
    return undefined;
  }
}

function bind(
  context: WorkContext,
  chain: ChainAdapter,
  lane: LaneRow,
  position: string,
  signed: readonly Signed[],
): { readonly unit: UnitOfWork; readonly sendable: readonly Sendable[] } {
  const unit = new UnitOfWork();
  const sendable: Sendable[] = [];
  const now = context.clock.now();
  unit.load('lanes', lane);
  unit.update('lanes', lane.id, { position });
  for (const { ready, prepared, transaction } of signed) {
    const keyId = `${chain.facts.id}:${prepared.key}`;
    const key = unit.insert('keys', {
      id: keyId,
      version: 1,
      chainId: chain.facts.id,
      signer: lane.signer,
      key: prepared.key,
      state: 'open',
      includedHash: null,
      includedHeight: null,
      inclusion: null,
      attemptCount: 1,
      firstSentAt: null,
      lastSentAt: null,
      lastSentHeight: null,
      closing: false,
      createdAt: now,
    });
    const attemptId = `${keyId}#0`;
    const attempt = unit.insert('attempts', {
      id: attemptId,
      version: 1,
      keyId,
      chainId: chain.facts.id,
      signer: lane.signer,
      n: 0,
      hash: transaction.hash,
      bytes: transaction.bytes,
      fees: prepared.fees,
      state: 'signed',
      signedAt: now,
      sentAt: null,
      message: null,
    });
    unit.insert('attemptLegs', { attemptId, legId: ready.leg.id });
    unit.load('legs', ready.leg);
    const leg = unit.update('legs', ready.leg.id, { state: 'bound', key: prepared.key, amount: ready.amount });
    sendable.push({ key, attempt, legs: [leg] });
  }
  return { unit, sendable };
}
