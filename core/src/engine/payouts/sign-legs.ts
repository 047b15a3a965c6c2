import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type {
  LanePosition,
  LegCheck,
  LegInstruction,
  Prepared,
  PrepareOutcome,
  SignedTransaction,
} from '../../contract/legs.js';
import { CommitUnknownError } from '../../contract/store.js';
import type { LaneRow, LegRow } from '../../contract/store-rows.js';
import { counter } from '../../domain/accounts.js';
import { factsOf } from '../../domain/leg-facts.js';
import { commit, mayWork, type WorkContext } from '../base/context.js';
import { isInfrastructure } from '../base/isolate.js';
import { isVault } from '../base/lanes.js';
import { pauseOf, postponePoison } from '../base/poison.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { solverCoinInDepository, solverCoinTakenBy } from '../books/solver-coin-in-depository.js';
import type { Sendable } from './send.js';
import { type SignOutcome, signPrepared } from './sign-prepared.js';
import { unchangedTopUp } from './top-up-for.js';
import type { Ready } from './triage.js';

export interface Checked {
  readonly ready: Ready;
  readonly instruction: LegInstruction;
  readonly check: LegCheck;
  /** Same for all legs tried as one transaction; absent for a leg tried alone. */
  readonly together?: object;
}

interface Executable extends Checked {
  readonly check: Extract<LegCheck, { ok: true }>;
  /** The inner top-up, as its bytes will have it. */
  readonly topUp?: LegRow;
}

/** After this time, signed legs are committed and sent before more are signed. */
const MAX_SIGNING_MS = 2_000;

interface Signed {
  readonly carried: readonly Executable[];
  readonly prepared: Prepared;
  readonly transaction: SignedTransaction;
}

/**
 * Signs in lane order and commits all at once: nothing leaves this function unless durable. Other legs stay due.
 *
 * @param onUnsigned called where the signer gave nothing usable.
 */
export async function signAll(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  checked: readonly Checked[],
  onUnsigned: () => void,
): Promise<readonly Sendable[]> {
  const lane = await context.store.lane(chain.facts.id, signer);
  if (!lane || /* guard: halted-lanes */ lane.halted !== null) return [];
  const good = await withInnerTopUps(context, checked);
  let position = lane.position;
  let own = isVault(chain, signer) ? await solverCoinInDepository(context, chain) : undefined;
  const began = context.clock.monotonic();
  const signed: Signed[] = [];
  const beyondMeans: LegRow[] = [];
  const waiting = [...sharing(chain, good)];
  for (let some = waiting.shift(); some !== undefined; some = waiting.shift()) {
    if (chain.isBusy?.(signer, position)) break;
    // What is signed must not wait for the rest of a slow signer.
    if (signed.length > 0 && (context.clock.monotonic() - began > MAX_SIGNING_MS || !mayWork(context))) break;
    const outcome = await prepareSome(context, chain, { signer, position }, some, own);
    // The leg takes no position; the next leg gets it.
    if (outcome === undefined) continue;
    if (!outcome.ok) {
      // The signer may have gas for fewer legs.
      if (outcome.why === 'noGas' && some.length > 1) {
        waiting.unshift(...halves(some));
        continue;
      }
      const leg = some[0]?.ready.leg;
      context.log.warn({ leg: leg?.id, why: outcome.why, message: outcome.message }, 'cannot prepare');
      if ('unsigned' in outcome) onUnsigned();
      // guard: lanes-without-gas
      if (outcome.why !== 'noGas') break;
      context.alerts.raise(`gas:${lane.id}`, 'The signer cannot pay for gas', { signer, chainId: chain.facts.id });
      // Later legs may need less gas, so signing continues.
      if (leg) beyondMeans.push(leg);
      continue;
    }
    signed.push(outcome.signed);
    if (own !== undefined) own -= solverCoinTaken(chain, outcome.signed);
    position = outcome.signed.prepared.nextPosition;
  }
  await setOnHold(context, beyondMeans);
  if (signed.length === 0) return [];
  const { unit, sendable } = bind(context, chain, lane, position, signed);
  try {
    const outcome = await commit(context, 'engine.settle.sign', unit);
    // guard: only-durable-bytes
    return outcome.ok ? sendable : [];
  } catch (error) {
    // Durability is unknown: the tracker finds the bytes if they are durable.
    if (error instanceof CommitUnknownError) return [];
    throw error;
  }
}

/** Upper bound of what the transaction takes from the depository's own coin, fee included. */
function solverCoinTaken(chain: ChainAdapter, { carried, prepared }: Omit<Signed, 'transaction'>): bigint {
  return carried.reduce((sum, { ready }) => sum + solverCoinTakenBy(chain, ready.leg, ready.amount), prepared.maxFee);
}

/**
 * A fill whose top-up changed since the check stays due.
 *
 * Invariant (G1): the top-up's row is read before signing; the binding change set fails if it changed since.
 */
async function withInnerTopUps(context: WorkContext, checked: readonly Checked[]): Promise<readonly Executable[]> {
  const good = checked.filter((one): one is Executable => one.check.ok);
  const found = await Promise.all(
    good.map(async (one): Promise<readonly Executable[]> => {
      const { instruction, ready } = one;
      if (!('topUp' in instruction) || instruction.topUp === undefined) return [one];
      const topUp = await unchangedTopUp(context, ready.leg, instruction);
      return topUp === undefined ? [] : [{ ...one, topUp }];
    }),
  );
  return found.flat();
}

/** A large native payment must not block what the lane can still afford. */
async function setOnHold(context: WorkContext, legs: readonly LegRow[]): Promise<void> {
  if (legs.length === 0) return;
  const unit = new UnitOfWork();
  const now = context.clock.now();
  for (const leg of legs) {
    unit.load('legs', leg);
    unit.update('legs', leg.id, { dueAt: now + pauseOf(context, leg, SET_ON_HOLD_MS) });
  }
  await commit(context, 'engine.settle.postpone', unit);
}

const SET_ON_HOLD_MS = 1_000;

/** Where a chain tries legs together, only those tried together. */
function sharing(chain: ChainAdapter, good: readonly Executable[]): readonly (readonly Executable[])[] {
  const most = chain.batches?.most ?? 1;
  const groups: Executable[][] = [];
  for (const one of good) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    const isTried = one.together !== undefined && first?.together === one.together;
    const fits = chain.checkTogether === undefined || /* guard: shared-only-as-tried */ isTried;
    if (group !== undefined && group.length < most && fits) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

type Made =
  | { readonly ok: true; readonly signed: Signed }
  | Extract<PrepareOutcome, { ok: false }>
  | Extract<SignOutcome, { ok: false }>;

function halves<T>(some: readonly T[]): readonly [T[], T[]] {
  const middle = Math.ceil(some.length / 2);
  return [some.slice(0, middle), some.slice(middle)];
}

/**
 * Where one transaction for these legs throws, each half is tried alone to isolate the bad leg.
 *
 * Invariant (G2, G12): no fee comes out of what deposits in the signer's account are owed.
 *
 * @param own native coin in that account owed to no one; undefined for a lane with its own account.
 */
async function prepareSome(
  context: WorkContext,
  chain: ChainAdapter,
  lane: LanePosition,
  some: readonly Executable[],
  own: bigint | undefined,
): Promise<Made | undefined> {
  try {
    const legs = some.map(({ instruction, check }) => ({ leg: instruction, plan: check.plan }));
    const outcome = await chain.prepare({ lane, legs });
    if (!outcome.ok) return outcome;
    const { prepared } = outcome;
    const carried = some.slice(0, prepared.carries ?? some.length);
    // guard: fees-from-depositors-money
    if (own !== undefined && solverCoinTaken(chain, { carried, prepared }) > own)
      return { ok: false, why: 'noGas', message: `the depository has ${own} of its own, the rest is owed to deposits` };
    const made = await signPrepared(chain, prepared, lane.signer);
    return made.ok ? { ok: true, signed: { carried, prepared, transaction: made.transaction } } : made;
  } catch (error) {
    if (isInfrastructure(error)) throw error;
    const [only] = some;
    if (some.length === 1 && only !== undefined) {
      await postponePoison(context, only.ready.leg, error);
      return undefined;
    }
    const [one, other] = halves(some);
    return (await prepareSome(context, chain, lane, one, own)) ?? prepareSome(context, chain, lane, other, own);
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
  // guard: key-and-position-together
  unit.update('lanes', lane.id, { position });
  for (const { carried, prepared, transaction } of signed) {
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
    const legs = carried.flatMap(({ ready: { leg, amount, work }, topUp }) => {
      unit.insert('attemptLegs', { attemptId, legId: leg.id });
      unit.load('legs', leg);
      // A fill's claims follow its amount (G12).
      if (factsOf(leg).delivers && amount !== leg.amount)
        unit.count({
          account: counter.reserved(leg.chainId, leg.signer, leg.currency),
          by: amount - leg.amount,
          atLeast: 0n,
        });
      const bound = unit.update('legs', leg.id, { state: 'bound', key: prepared.key, amount, work });
      if (topUp === undefined) return [bound];
      unit.insert('attemptLegs', { attemptId, legId: topUp.id });
      unit.load('legs', topUp);
      return [bound, unit.update('legs', topUp.id, { state: 'bound', key: prepared.key })];
    });
    const requests = carried.flatMap(({ ready: { request, alone } }) => (request && alone ? [request] : []));
    sendable.push({ key, attempt, legs, requests });
  }
  return { unit, sendable };
}
