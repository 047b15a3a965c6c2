import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { UnixMs } from '../../contract/ids.js';
import type { SendOutcome } from '../../contract/legs.js';
import type { AttemptRow, AttemptState, KeyRow, LegRow, RequestRow } from '../../contract/store-rows.js';
import { endsRequest, factsOf } from '../../domain/leg-facts.js';
import { decideAndCommit, headHeight, mayWork, type WorkContext } from '../base/context.js';
import { inParallel } from '../base/in-parallel.js';
import { loadViews } from '../base/load.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { moveRequest, noteTransaction } from '../books/requests.js';

const SEND_CONCURRENCY = 16;

/** A transaction whose bytes are durable. */
export interface Sendable {
  readonly key: KeyRow;
  readonly attempt: AttemptRow;
  readonly legs: readonly LegRow[];
  /** Of its legs, as read before it was signed, where they had no deposits and no transactions. Absent: none. */
  readonly requests?: readonly RequestRow[];
}

export interface Sent {
  readonly item: Sendable;
  readonly outcome: SendOutcome;
  /** When the outcome was known. */
  readonly at: UnixMs;
}

/** Both, one after the other. */
export async function sendAndRecord(
  context: WorkContext,
  chain: ChainAdapter,
  items: readonly Sendable[],
): Promise<void> {
  await recordSent(context, chain, await sendAll(context, chain, items));
}

/**
 * Repeatable: a chain takes the same bytes once.
 *
 * Invariant (G14): nothing is sent once the engine is stopping or the lease is lost; the lane's next holder sends the
 * bytes.
 */
export async function sendAll(
  context: WorkContext,
  chain: ChainAdapter,
  items: readonly Sendable[],
): Promise<readonly Sent[]> {
  const sent = await inParallel(items, SEND_CONCURRENCY, async (item): Promise<readonly Sent[]> => {
    // guard: nothing-after-stop
    if (!mayWork(context)) return [];
    const outcome = await chain.send({ bytes: item.attempt.bytes, hash: item.attempt.hash });
    context.metrics.count('sends', 'Transactions sent', { chain: chain.facts.id, outcome: outcome.outcome });
    if (isTaken(outcome) && item.key.firstSentAt === null) countSent(context, chain, item.legs);
    return [{ item, outcome, at: context.clock.now() }];
  });
  return sent.flat();
}

function countSent({ metrics }: WorkContext, chain: ChainAdapter, legs: readonly LegRow[]): void {
  for (const { kind } of legs)
    metrics.count(
      'movements_sent',
      'Movements of transactions that a provider took, without later attempts under the same key',
      { chain: chain.facts.id, kind },
    );
}

function isTaken({ outcome }: SendOutcome): boolean {
  return outcome === 'accepted' || outcome === 'known';
}

export async function recordSent(context: WorkContext, chain: ChainAdapter, done: readonly Sent[]): Promise<void> {
  if (done.length === 0) return;
  let fresh = true;
  await decideAndCommit(context, 'engine.send.record', async () => {
    const unit = new UnitOfWork();
    const signer = done[0]?.item.key.signer ?? '';
    const stored = fresh ? undefined : await context.store.openKeys(chain.facts.id, signer, 10_000);
    // If a request changed since, the commit that relies on it fails.
    if (fresh) for (const { item } of done) for (const row of item.requests ?? []) unit.load('requests', row);
    fresh = false;
    const requestIds = done.flatMap(({ item }) =>
      item.legs.flatMap(({ requestId: id }) => (id === null || unit.get('requests', id) !== undefined ? [] : [id])),
    );
    await loadViews(context, unit, requestIds);
    for (const { item, outcome, at } of done) {
      const now = stored?.find((open) => open.key.id === item.key.id);
      const key = stored ? now?.key : item.key;
      const attempt = stored ? now?.attempts.find((one) => one.id === item.attempt.id) : item.attempt;
      // Proof from the chain settled a closed key, and outranks a send's outcome.
      if (key && attempt)
        recordOne(context, unit, chain, { item: { key, attempt: bare(attempt), legs: item.legs }, outcome, at });
    }
    return { work: unit, result: undefined };
  });
}

function bare(attempt: AttemptRow & { readonly legIds?: readonly string[] }): AttemptRow {
  const { legIds: _, ...row } = attempt;
  return row;
}

function recordOne(
  context: WorkContext,
  unit: UnitOfWork,
  chain: ChainAdapter,
  { item, outcome, at: now }: Sent,
): void {
  const { key, attempt } = item;
  unit.load('keys', key);
  unit.load('attempts', attempt);
  const taken = isTaken(outcome);
  const message = 'message' in outcome ? outcome.message.slice(0, 500) : null;
  const early =
    attempt.state === 'signed' ||
    attempt.state === 'rejected' ||
    attempt.state === 'barred' ||
    attempt.state === 'indeterminate' ||
    attempt.state === 'sent';
  if (early) {
    const state = taken ? 'sent' : stateOf(outcome);
    // A later failed send does not undo acceptance.
    if (attempt.state !== 'sent')
      unit.update('attempts', attempt.id, { state, message, sentAt: attempt.sentAt ?? (taken ? now : null) });
  }
  unit.update('keys', key.id, {
    lastSentAt: now,
    lastSentHeight:
      key.lastSentHeight === null || attempt.state === 'signed'
        ? headHeight(context, chain.facts.id)
        : key.lastSentHeight,
    ...(taken && key.firstSentAt === null ? { firstSentAt: now } : {}),
  });
  if (outcome.outcome === 'rejected') {
    context.log.warn({ key: key.id, meaning: outcome.meaning, message: outcome.message }, 'send rejected');
    if (outcome.meaning === 'noGas')
      context.alerts.raise(`gas:${chain.facts.id}:${key.signer}`, 'The signer cannot pay for gas', {
        chainId: chain.facts.id,
      });
  }
  if (taken) context.alerts.clear(`gas:${chain.facts.id}:${key.signer}`);
  // Inclusion may be known before the send's reply, and outranks it.
  if (taken && !key.closing && key.includedHash === null)
    for (const leg of item.legs) noteBroadcast(context, unit, leg, attempt.hash);
}

function stateOf(outcome: SendOutcome): AttemptState {
  if (outcome.outcome !== 'rejected' || outcome.meaning === 'keySpent') return 'indeterminate';
  return outcome.meaning === 'barred' ? 'barred' : 'rejected';
}

function noteBroadcast(context: WorkContext, unit: UnitOfWork, leg: LegRow, hash: string): void {
  const { role, delivers, executes } = factsOf(leg);
  if (leg.requestId === null || role === null || !endsRequest(leg)) return;
  noteTransaction(context, unit, {
    id: `${leg.requestId}:${role}:${leg.id}`,
    requestId: leg.requestId,
    role,
    chainId: leg.chainId,
    hash,
    block: null,
    timestamp: null,
    status: 'success',
  });
  const request = unit.get('requests', leg.requestId);
  if ((delivers || executes) && request?.status === 'pending') moveRequest(context, unit, request.id, 'fillSent');
}
