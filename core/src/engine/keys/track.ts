import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LaneKeys } from '../../contract/lane-keys.js';
import type { KeyEvidence, KeySpender } from '../../contract/legs.js';
import type { OpenKey } from '../../contract/store.js';
import { isIdle, judgeKey, type KeyAction } from '../../domain/judge-key.js';
import { chainNow, decideAndCommit, headHeight, mayWork, type WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import { instructionOf } from '../base/instruction.js';
import { isolate } from '../base/isolate.js';
import { loadViews } from '../base/load.js';
import { poisonAlert } from '../base/poison.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { confirmFill, recordInclusion, undoInclusion } from '../books/inclusion.js';
import { loadJoined } from '../books/joined-legs.js';
import { sendAndRecord } from '../payouts/send.js';
import { type LostProof, noteForeign, proveLost } from '../recovery/index.js';
import { finishKey, loseKey } from './close-key.js';
import { Pace } from './pace.js';
import { newestOf, replaceAttempt } from './replace.js';

const MAX_KEYS_PER_LOOK = 200;
/** What a payment may have to wait for. */
const MAX_KEYS_PER_COMMIT = 25;
const MAX_REPLACEABLE_KEYS = 16;
const PROOF_CONCURRENCY = 8;
const MAX_PROOFS_PER_PASS = 32;

interface Judged {
  readonly open: OpenKey;
  readonly evidence: KeyEvidence;
  readonly action: KeyAction;
  readonly lost?: Extract<LostProof, { ok: true }>;
  /** Undefined where unknown. */
  readonly spender?: KeySpender | undefined;
}

/** @param pace of the lanes of the chain in this process. */
export async function trackLane(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  pace = new Pace(context.clock, context.stopping),
): Promise<void> {
  const open = (await context.store.openKeys(chain.facts.id, signer, 5_000)).map(withOwnLegs);
  let replaceable = MAX_REPLACEABLE_KEYS;
  for (let from = 0; from < open.length && mayWork(context); from += MAX_KEYS_PER_LOOK) {
    const slice = open.slice(from, from + MAX_KEYS_PER_LOOK).filter((one) => isReadable(context, chain, one));
    const changing = slice.filter((one) => mayChange(context, chain, one)).length;
    const evidence = await pace.take(changing, async () =>
      mayWork(context) ? chain.look(slice.map((one) => viewOf(context, chain, one))) : [],
    );
    const judged = slice.map((one, index): Judged => {
      const seen = evidence[index] ?? { state: 'unknown', why: 'no answer' };
      // Without reuse of keys these bytes are all there is.
      const mayReplace = chain.replace !== undefined && seen.state === 'unspent' && replaceable-- > 0;
      return { open: one, evidence: seen, action: judgeKey(one, seen, policyOf(context, chain, mayReplace)) };
    });
    const lost = judged.filter(({ action }) => action.do === 'lost');
    const reported = judged.filter(({ action }) => action.do !== 'lost');
    await resend(context, chain, reported);
    await apply(context, chain, signer, reported, pace);
    // Proofs take long; keys that may still land must not wait for them.
    const proven = await inParallel(turn(context, lost), PROOF_CONCURRENCY, (one) => judgeLost(context, chain, one));
    await apply(context, chain, signer, proven, pace);
    const stuck = judged.filter(({ action }) => action.do === 'bump' || action.do === 'close');
    await isolate(
      stuck,
      async (some) => {
        for (const { open, evidence: seen, action } of some)
          await replaceAttempt(context, chain, open, {
            close: action.do === 'close',
            resend: seen.state === 'unspent' && !seen.inPool && isIdle(open, policyOf(context, chain, true)),
          });
      },
      (one, error) => poisoned(context, one.open, error),
    );
  }
}

/** Its receipt is read: it may land, or be final. */
function mayChange(context: WorkContext, chain: ChainAdapter, { key: { includedHeight } }: OpenKey): boolean {
  return includedHeight === null || includedHeight <= (context.times.get(chain.facts.id)?.finalHeight ?? 0);
}

/**
 * Invariant (G1): a leg released by a lost key belongs to the next key that signs it, even while the lost key stays
 * open.
 */
function withOwnLegs(open: OpenKey): OpenKey {
  return { ...open, legs: open.legs.filter((leg) => /* guard: legs-of-their-key */ leg.key === open.key.key) };
}

/** In rotation, so that slow ones do not block others. */
function turn(context: WorkContext, lost: readonly Judged[]): readonly Judged[] {
  if (lost.length <= MAX_PROOFS_PER_PASS) return lost;
  const first = Math.floor(context.random.fraction() * lost.length);
  return [...lost.slice(first), ...lost.slice(0, first)].slice(0, MAX_PROOFS_PER_PASS);
}

/** Ends the key once its orders' fate is known; until then only undoes its inclusion. */
async function judgeLost(
  context: WorkContext,
  chain: ChainAdapter,
  { open, evidence }: Pick<Judged, 'open' | 'evidence'>,
): Promise<Judged> {
  const proof = await proveLost(context, chain, open);
  if (proof.ok) {
    const spender = await spenderOf(context, chain.keys, open);
    return { open, evidence, action: { do: 'lost' }, lost: proof, spender };
  }
  return { open, evidence, action: { do: open.key.includedHash === null ? 'nothing' : 'dropped' } };
}

/** By history, no transaction spent an expired key. */
async function spenderOf(context: WorkContext, keys: LaneKeys, open: OpenKey): Promise<KeySpender | undefined> {
  if (keys.by !== 'position') return undefined;
  try {
    return await keys.spenderOf(open.key.key, open.key.signer);
  } catch (error) {
    context.log.warn({ key: open.key.id, err: error }, 'what spent a key could not be read');
    return undefined;
  }
}

/** An unknown leg kind must not block other keys. */
function isReadable(context: WorkContext, chain: ChainAdapter, open: OpenKey): boolean {
  try {
    viewOf(context, chain, open);
    return true;
  } catch (error) {
    poisoned(context, open, error);
    return false;
  }
}

function viewOf(context: WorkContext, chain: ChainAdapter, open: OpenKey) {
  const legs = new Map(open.legs.map((leg) => [leg.id, instructionOf(context, chain, leg)]));
  return {
    key: open.key.key,
    signer: open.key.signer,
    attempts: open.attempts.map((attempt) => ({
      hash: attempt.hash,
      legs: attempt.legIds.flatMap((id) => legs.get(id) ?? []),
    })),
  };
}

function policyOf(context: WorkContext, chain: ChainAdapter, mayReplace: boolean) {
  const { policy, clock } = context;
  const { id, blockTimeMs, inclusionWindowMs = 0 } = chain.facts;
  return {
    now: clock.now(),
    head: headHeight(context, id),
    bumpAfterBlocks: policy.bumpAfterBlocks,
    inclusionWindowMs: Math.max(policy.inclusionWindowMs, inclusionWindowMs),
    resendMs: Math.max(blockTimeMs, 1_000),
    chainNow: chainNow(context, id),
    mayReplace,
  };
}

/** Keys that changed meanwhile wait for the next round. */
async function apply(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  judged: readonly Judged[],
  pace: Pace,
): Promise<void> {
  const several = context.policy.fillConfirmations > 1;
  const changing = judged.filter(({ action, open }) => {
    const waits = several && action.do === 'nothing' && open.key.includedHash !== null;
    return action.do === 'landed' || action.do === 'dropped' || action.do === 'lost' || waits;
  });
  for (let from = 0; from < changing.length && mayWork(context); from += MAX_KEYS_PER_COMMIT) {
    const part = changing.slice(from, from + MAX_KEYS_PER_COMMIT);
    await pace.take(part.length, () =>
      isolate(
        part,
        (slice) => commitSlice(context, chain, signer, slice),
        (one, error) => poisoned(context, one.open, error),
      ),
    );
  }
}

function poisoned(context: WorkContext, { key }: OpenKey, error: unknown): void {
  context.log.error({ key: key.id, err: error }, 'a key cannot be processed');
  context.alerts.raise(poisonAlert(key), 'A sent transaction cannot be processed: this is a bug or a changed config', {
    key: key.id,
  });
}

async function commitSlice(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  slice: readonly Judged[],
): Promise<void> {
  let fresh = true;
  await decideAndCommit(context, 'engine.track', async () => {
    const unit = new UnitOfWork();
    const current = fresh ? undefined : (await context.store.openKeys(chain.facts.id, signer, 5_000)).map(withOwnLegs);
    fresh = false;
    const now = slice.flatMap((one) => {
      const open = current ? current.find((row) => row.key.id === one.open.key.id) : one.open;
      return open ? [{ ...one, open }] : [];
    });
    const legs = now.flatMap((one) => one.open.legs);
    const fundingKeys = legs.flatMap((leg) => (leg.fundingKey === null ? [] : [leg.fundingKey]));
    await loadViews(
      context,
      unit,
      legs.flatMap((leg) => (leg.requestId === null ? [] : [leg.requestId])),
      fundingKeys,
    );
    await loadJoined(context, unit, legs);
    const lost = now.filter(({ action }) => action.do === 'lost');
    const spenders = lost.flatMap(({ spender }) => spender ?? []);
    // Unlike a key that something else spent, an expired key does not mean that something else uses the signer.
    if (lost.length > 0 && chain.keys.by === 'position')
      await noteForeign(context, unit, spenders, spenders.length < lost.length, chain.facts.id);
    for (const one of now) applyOne(context, unit, chain, one);
    return { work: unit, result: undefined };
  });
  for (const { open } of slice) context.alerts.clear(poisonAlert(open.key));
}

function applyOne(
  context: WorkContext,
  unit: UnitOfWork,
  chain: ChainAdapter,
  { open: stored, evidence, action, lost }: Judged,
): void {
  unit.load('keys', stored.key);
  for (const { legIds: _, ...attempt } of stored.attempts) unit.load('attempts', attempt);
  // Views read later than the key list have newer rows.
  const legs = stored.legs.map((leg) => unit.get('legs', leg.id) ?? unit.load('legs', leg));
  const open = withOwnLegs({ ...stored, legs });
  switch (action.do) {
    case 'landed':
      recordInclusion(context, unit, chain, open, action.evidence);
      // guard: ended-only-when-final
      if (action.evidence.final && mayEnd(context, open, action.evidence.block.height))
        finishKey(context, unit, chain, refreshed(unit, open), action.evidence);
      break;
    case 'dropped':
      undoInclusion(context, unit, open);
      break;
    case 'lost':
      if (lost) loseKey(context, unit, chain, open, lost);
      break;
    default:
      // Only what moved: a fill's key may also be spent by its closing no-op.
      if (evidence.state === 'spent' && evidence.ok)
        for (const leg of open.legs)
          if (leg.includedAt !== null) confirmFill(context, unit, leg, evidence.block.height);
  }
}

function mayEnd(context: WorkContext, { legs }: OpenKey, height: number): boolean {
  return legs.every((leg) => context.kinds.of(leg).mayEnd?.(context, leg, height) ?? true);
}

function refreshed(unit: UnitOfWork, open: OpenKey): OpenKey {
  return { ...open, legs: open.legs.map((leg) => unit.get('legs', leg.id) ?? leg) };
}

async function resend(context: WorkContext, chain: ChainAdapter, judged: readonly Judged[]): Promise<void> {
  const again = judged.filter(({ action }) => action.do === 'resend');
  const items = again.flatMap(({ open }) => {
    const newest = open.attempts.at(-1);
    return newest ? [newestOf(open, newest)] : [];
  });
  if (items.length > 0) await sendAndRecord(context, chain, items);
}
