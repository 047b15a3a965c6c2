import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { PrepareOutcome } from '../contract/legs.js';
import type { OpenKey } from '../contract/store.js';
import { commit, headHeight, mayWork, type WorkContext } from './context.js';
import { instructionOf } from './instruction.js';
import { type Sendable, sendAndRecord } from './send.js';
import { UnitOfWork } from './unit-of-work.js';

/**
 * Signs another transaction under a key that is stuck: the same legs at a higher fee, or a no-op that closes it.
 *
 * Invariant: the key stays the same, so at most one of all its attempts ever takes effect. A no-op, once signed, is
 * only followed by no-ops: the legs are not carried again under this key. Where no more may be paid, the newest bytes
 * are sent again if no pool has them: nothing else may ever bring them back.
 */
export async function replaceAttempt(
  context: WorkContext,
  chain: ChainAdapter,
  open: OpenKey,
  { close, resend }: { readonly close: boolean; readonly resend: boolean },
): Promise<void> {
  const newest = open.attempts.at(-1);
  if (!chain.replace || !newest || !mayWork(context)) return;
  const closing = close || open.key.closing;
  const outcome = await prepared(context, chain, open, newest.fees, closing);
  if (outcome === 'refused') return postpone(context, chain, open);
  if (!outcome.ok) {
    context.log.warn({ key: open.key.id, why: outcome.why, message: outcome.message }, 'cannot replace');
    if (resend) await sendAndRecord(context, chain, [newestOf(open, newest)]);
    else if (outcome.why !== 'unavailable') await postpone(context, chain, open);
    return;
  }
  const transaction = await chain.sign(outcome.prepared, open.key.signer);
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
    fees: outcome.prepared.fees,
    state: 'signed',
    signedAt: context.clock.now(),
    sentAt: null,
    message: null,
  });
  const legs = closing ? [] : open.legs;
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

async function prepared(
  context: WorkContext,
  chain: ChainAdapter,
  open: OpenKey,
  previousFees: string,
  closing: boolean,
): Promise<PrepareOutcome | 'refused'> {
  const base = { key: open.key.key, signer: open.key.signer, previousFees };
  const replace = chain.replace?.bind(chain);
  if (!replace) return { ok: false, why: 'unavailable', message: 'the chain cannot replace' };
  if (closing) return replace({ ...base, legs: [] });
  const legs: { leg: ReturnType<typeof instructionOf>; plan: string }[] = [];
  for (const row of open.legs) {
    const leg = instructionOf(context, chain, row);
    const check = await chain.check(leg, open.key.signer);
    // A leg that the chain refuses now may still land from an earlier attempt; neither sending nor bumping it is worth a fee.
    if (!check.ok && check.kind === 'refused') {
      context.log.warn({ key: open.key.id, message: check.message }, 'not replaced: the chain refuses it now');
      return 'refused';
    }
    if (!check.ok) return { ok: false, why: 'unavailable', message: check.message };
    legs.push({ leg, plan: check.plan });
  }
  return replace({ ...base, legs });
}

/** The newest bytes of a key, as they are sent. */
export function newestOf({ key, legs }: OpenKey, { legIds, ...attempt }: OpenKey['attempts'][number]): Sendable {
  return { key, attempt, legs: legs.filter((leg) => legIds.includes(leg.id)) };
}

/** Not bumped now: count the blocks anew. */
async function postpone(context: WorkContext, chain: ChainAdapter, open: OpenKey): Promise<void> {
  const unit = new UnitOfWork();
  unit.load('keys', open.key);
  unit.update('keys', open.key.id, { lastSentHeight: headHeight(context, chain.facts.id) });
  await commit(context, 'engine.replace.postpone', unit);
}
