import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { TriedTogether } from '../../contract/chain-payouts.js';
import type { LegCheck, LegInstruction, PrepareOutcome, ReplaceInput } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import type { LegRow } from '../../contract/store-rows.js';
import { isExpired } from '../../domain/judge-key.js';
import { factsOf } from '../../domain/leg-facts.js';
import { isPaidWithFill, withoutInnerTopUps } from '../../domain/top-up-legs.js';
import { chainNow, commit, headHeight, mayWork, type WorkContext } from '../base/context.js';
import { instructionToSend, isRefused } from '../base/instruction.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { type Sendable, sendAndRecord } from '../payouts/send.js';
import { signPrepared } from '../payouts/sign-prepared.js';

/** The signer of an authorization can block inclusion at will. */
const MAX_LEGS_WITH_AUTHORIZATIONS = 2;
type Refused = Extract<LegCheck, { ok: false }>;

const MAX_DUE_LEGS = 50;

/**
 * Signs another transaction under a stuck key: the same legs at a higher fee, or a closing no-op.
 *
 * Invariant: the key stays the same, so at most one attempt takes effect. After a no-op come only no-ops. At the fee
 * limit, the newest bytes are resent if no pool has them. Where the chain refuses all legs now, no fee is paid unless
 * other legs wait.
 */
export async function replaceAttempt(
  context: WorkContext,
  chain: ChainAdapter,
  open: OpenKey,
  { close, resend }: { readonly close: boolean; readonly resend: boolean },
): Promise<void> {
  const newest = open.attempts.at(-1);
  if (!chain.replace || !newest || !mayWork(context)) return;
  const mustClose = /* guard: no-op-without-legs */ close || open.key.closing;
  const carrying = mustClose ? null : await withLegs(context, chain, open, newest);
  if (carrying === 'refused' && !(await isInTheWay(context, chain, open))) return postpone(context, chain, open);
  const closing = carrying === null || carrying === 'refused' || carrying === 'enough';
  const { outcome, legs } = closing ? await withoutLegs(chain, open, newest) : carrying;
  const signed = outcome.ok ? await signPrepared(chain, outcome.prepared, open.key.signer) : outcome;
  if (!signed.ok) {
    const { why, message } = signed;
    context.log.warn({ key: open.key.id, why, message }, 'cannot replace');
    if (resend) await sendAndRecord(context, chain, [newestOf(open, newest)]);
    else if (why !== 'unavailable') await postpone(context, chain, open);
    return;
  }
  const { prepared, transaction } = signed;
  const unit = new UnitOfWork();
  const n = open.key.attemptCount;
  const id = `${open.key.id}#${n}`;
  unit.load('keys', open.key);
  const key = unit.update('keys', open.key.id, {
    attemptCount: n + 1,
    closing,
    lastSentHeight: headHeight(context, chain.facts.id),
  });
  const attempt = unit.insert('attempts', {
    id,
    version: 1,
    keyId: open.key.id,
    chainId: chain.facts.id,
    signer: open.key.signer,
    n,
    hash: transaction.hash,
    bytes: transaction.bytes,
    fees: prepared.fees,
    state: 'signed',
    signedAt: context.clock.now(),
    sentAt: null,
    message: null,
  });
  for (const leg of legs) unit.insert('attemptLegs', { attemptId: id, legId: leg.id });
  const committed = await commit(context, 'engine.replace.sign', unit);
  if (!committed.ok) return;
  context.metrics.count('replacements', 'Attempts replaced under the same key', {
    chain: chain.facts.id,
    kind: closing ? 'no-op' : 'bump',
  });
  const item: Sendable = { key: { ...key, version: open.key.version + 1 }, attempt, legs };
  await sendAndRecord(context, chain, [item]);
}

type Attempt = OpenKey['attempts'][number];

interface Made {
  readonly outcome: PrepareOutcome;
  readonly legs: readonly LegRow[];
}

/**
 * Without late fills and refused legs. A leg left out stays out, but bound to the key: an earlier attempt may carry
 * it. A top-up in a fill is part of its instruction.
 */
async function withLegs(
  context: WorkContext,
  chain: ChainAdapter,
  open: OpenKey,
  { fees, legIds }: Attempt,
): Promise<Made | 'refused' | 'enough'> {
  const time = { chainNow: chainNow(context, chain.facts.id) };
  const newest = open.legs.filter((row) => legIds.includes(row.id));
  const carried = withoutInnerTopUps(newest).filter((row) => !isExpired(row, time));
  const instructions = await Promise.all(carried.map((row) => instructionToSend(context, chain, row)));
  const together = await tryTogether(chain, open.key.signer, instructions);
  const rows: LegRow[] = [];
  const legs: { leg: LegInstruction; plan: string }[] = [];
  for (const [n, row] of carried.entries()) {
    const leg = instructions[n] as LegInstruction | Refused;
    if ('authorizations' in leg && open.attempts.length >= MAX_LEGS_WITH_AUTHORIZATIONS) return 'enough';
    const check = isRefused(leg) ? leg : (together?.[n] ?? (await chain.check(leg, open.key.signer)));
    if (check.ok && !isRefused(leg)) {
      rows.push(row);
      legs.push({ leg, plan: check.plan });
      continue;
    }
    if (check.ok) continue;
    if (check.kind === 'unavailable') return { outcome: unavailable(check.message), legs: [] };
    // The leg may still land by an earlier attempt.
    context.log.warn(
      { key: open.key.id, leg: row.id, message: check.message },
      'not replaced: the chain refuses it now',
    );
  }
  if (legs.length === 0) return 'refused';
  const outcome = await replaced(chain, open, fees, legs);
  const carries = outcome.ok ? (outcome.prepared.carries ?? rows.length) : 0;
  const taken = rows.slice(0, carries);
  const innerTopUps = newest.filter((row) => isPaidWithFill(row, newest) && isPaidWithFill(row, taken));
  return { outcome, legs: [...taken, ...innerTopUps] };
}

/** Undefined: each leg is tried alone. */
async function tryTogether(
  chain: ChainAdapter,
  signer: string,
  instructions: readonly (LegInstruction | Refused)[],
): Promise<readonly TriedTogether[] | undefined> {
  const good = instructions.filter((one): one is LegInstruction => !isRefused(one));
  return good.length > 1 && good.length === instructions.length ? chain.checkTogether?.(good, signer) : undefined;
}

async function withoutLegs(chain: ChainAdapter, open: OpenKey, { fees }: Attempt): Promise<Made> {
  return { outcome: await replaced(chain, open, fees, []), legs: [] };
}

async function replaced(
  chain: ChainAdapter,
  { key: { key, signer } }: OpenKey,
  previousFees: string,
  legs: ReplaceInput['legs'],
): Promise<PrepareOutcome> {
  return chain.replace?.({ key, signer, previousFees, legs }) ?? unavailable('the chain cannot replace');
}

/** Whether legs other than the solver's own wait behind this key. */
async function isInTheWay({ store, clock }: WorkContext, chain: ChainAdapter, { key }: OpenKey): Promise<boolean> {
  const lane = chain.isBusy && (await store.lane(chain.facts.id, key.signer));
  if (!lane || !chain.isBusy?.(key.signer, lane.position)) return false;
  const due = await store.claimDue(chain.facts.id, key.signer, clock.now(), MAX_DUE_LEGS);
  return due.some((leg) => !factsOf(leg).movesSolverMoney);
}

function unavailable(message: string): PrepareOutcome {
  return { ok: false, why: 'unavailable', message };
}

export function newestOf({ key, legs }: OpenKey, { legIds, ...attempt }: OpenKey['attempts'][number]): Sendable {
  return { key, attempt, legs: legs.filter((leg) => legIds.includes(leg.id)) };
}

/** No bump now: restart the block count. */
async function postpone(context: WorkContext, chain: ChainAdapter, open: OpenKey): Promise<void> {
  const unit = new UnitOfWork();
  unit.load('keys', open.key);
  unit.update('keys', open.key.id, { lastSentHeight: headHeight(context, chain.facts.id) });
  await commit(context, 'engine.replace.postpone', unit);
}
