import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegRow } from '../../contract/store-rows.js';
import { mayWork, type WorkContext } from '../base/context.js';
import { type FreshLeg, FreshLegs } from '../base/fresh-legs.js';
import { isolate } from '../base/isolate.js';
import { poisonAlert, postpone, postponePoison } from '../base/poison.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { settlePaid } from '../recovery/index.js';
import { askChain } from './ask-chain.js';
import { decideOnLeg } from './decide-on-leg.js';
import { FailingLegs } from './failing-legs.js';
import { LaneSends } from './lane-sends.js';
import { screenLegs } from './screen-legs.js';
import { recordSent, sendAll } from './send.js';
import { type Checked, signAll } from './sign-legs.js';
import { type Ready, triage } from './triage.js';

const MAX_LEGS_PER_PASS = 50;
const RETRY_MS = 1_000;
/** Maximum interval between two reads of due legs from the store. */
const CLAIM_INTERVAL_MS = 200;

/** Interval for judging the legs of a lane that cannot sign: a fill may become late. */
const BUSY_JUDGE_INTERVAL_MS = 2_000;

/** Pause after a signer returned nothing usable. Deadlines are judged meanwhile. */
const UNSIGNED_PAUSE_MS = 2_000;

/** State of one lane while this process holds its lease. */
export class LaneRounds {
  readonly sends = new LaneSends();
  readonly failing = new FailingLegs();
  readonly fresh = new FreshLegs();
  #claimedAt = Number.NEGATIVE_INFINITY;
  #judgedAt = Number.NEGATIVE_INFINITY;
  #unsignedAt = Number.NEGATIVE_INFINITY;

  mayJudge({ clock }: Pick<WorkContext, 'clock'>): boolean {
    if (clock.monotonic() - this.#judgedAt < BUSY_JUDGE_INTERVAL_MS) return false;
    this.#judgedAt = clock.monotonic();
    return true;
  }

  unsigned({ clock }: Pick<WorkContext, 'clock'>): void {
    this.#unsignedAt = clock.monotonic();
  }

  isUnsigned({ clock }: Pick<WorkContext, 'clock'>): boolean {
    return clock.monotonic() - this.#unsignedAt < UNSIGNED_PAUSE_MS;
  }

  /** Returns only legs given by this process if the store was read within `CLAIM_INTERVAL_MS`. */
  async due({ store, clock }: WorkContext, chain: ChainAdapter, signer: string, most: number): Promise<DueLegs> {
    const given = this.fresh.take(most);
    const now = clock.monotonic();
    if (given.length > 0 && now - this.#claimedAt < CLAIM_INTERVAL_MS)
      return { legs: given.map(({ leg }) => leg), given };
    this.#claimedAt = now;
    const legs = await store.claimDue(chain.facts.id, signer, clock.now(), most);
    return { legs, given: this.fresh.claimed(legs, given) };
  }

  /** The store is asked next. */
  forget(): void {
    this.#claimedAt = Number.NEGATIVE_INFINITY;
  }
}

interface DueLegs {
  readonly legs: readonly LegRow[];
  readonly given: readonly FreshLeg[];
}

/**
 * Executes what a lane owes: triage, ask the chain, screen, sign, make durable, send.
 *
 * Invariants: bytes are durable before they are sent (G5). The lane's position, the key, its first attempt and the
 * bound legs are one change set: no leg has two keys, no key two first attempts (G1). Uncommitted bytes are dropped
 * unsent.
 *
 * Sends overlap the next round and begin once earlier sends ended: in order, at most two rounds signed and unsent.
 *
 * @returns true when there may be more to do at once.
 * @throws also errors of the previous round's sends.
 */
export async function settleLane(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  rounds: LaneRounds,
): Promise<boolean> {
  rounds.sends.rethrow();
  const busy = rounds.isUnsigned(context) || (await isBusy(context, chain, signer));
  if (busy && !rounds.mayJudge(context)) return false;
  const chunk = Math.max(MAX_LEGS_PER_PASS, chain.batches?.most ?? 0);
  rounds.failing.report(context, chain, signer);
  const { legs: due, given } = await rounds.due(context, chain, signer, chunk);
  if (due.length === 0) return false;
  const ready = await triageApart(context, chain, signer, due, given);
  if (ready === null || busy || isGathering(context, chain, ready)) return false;
  const checked = await askChain(context, chain, signer, ready);
  await refuse(context, chain, checked, rounds.failing);
  const good = await screenLegs(
    context,
    checked.filter((one) => one.check.ok),
  );
  for (const { ready: one } of good) rounds.failing.over(one.leg);
  const onUnsigned = () => rounds.unsigned(context);
  const durable = good.length === 0 || !mayWork(context) ? [] : await signAll(context, chain, signer, good, onUnsigned);
  if (durable.length > 0)
    await rounds.sends.begin(
      () => sendAll(context, chain, durable),
      (done) => recordSent(context, chain, done),
    );
  // A given row may be outdated.
  else rounds.forget();
  // Legs that stay due unchanged, e.g. without gas, would cause an endless loop.
  const moved = ready.length < due.length || good.length < ready.length || durable.length > 0;
  return moved && due.length === chunk;
}

async function isBusy({ store }: WorkContext, chain: ChainAdapter, signer: string): Promise<boolean> {
  if (!chain.isBusy) return false;
  const lane = await store.lane(chain.facts.id, signer);
  return lane !== undefined && chain.isBusy(signer, lane.position);
}

/** Waits for more legs to share a transaction, at most as long as the chain says. */
function isGathering({ clock }: WorkContext, { batches }: ChainAdapter, ready: readonly Ready[]): boolean {
  if (batches === undefined || ready.length === 0 || ready.length >= batches.most) return false;
  const first = Math.min(...ready.map(({ leg }) => leg.dueAt));
  return clock.now() - first < batches.gatherMs;
}

/** Postpones legs that throw. Null while the lane is halted. */
async function triageApart(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  due: readonly LegRow[],
  given: readonly FreshLeg[],
): Promise<readonly Ready[] | null> {
  const ready: Ready[] = [];
  let halted = false;
  let fresh = true;
  await isolate(
    due,
    async (some) => {
      // A change set that failed as a whole may have been committed, so only the first try relies on the rows just
      // read.
      const first = fresh;
      fresh = false;
      const part = await triage(context, chain, signer, some, first ? given : null);
      if (part === null) halted = true;
      else ready.push(...part);
      for (const leg of some) context.alerts.clear(poisonAlert(leg));
    },
    (leg, error) => postponePoison(context, leg, error),
  );
  return halted ? null : ready;
}

/** Where the chain was unavailable, it is asked again later. */
async function refuse(
  context: WorkContext,
  chain: ChainAdapter,
  checked: readonly Checked[],
  failing: FailingLegs,
): Promise<void> {
  const refused = checked.filter((one) => !one.check.ok);
  await isolate(
    refused,
    async (some) => {
      for (const one of some) await refuseOne(context, chain, one, failing);
    },
    ({ ready }, error) => postponePoison(context, ready.leg, error),
  );
}

async function refuseOne(
  context: WorkContext,
  chain: ChainAdapter,
  { ready, check }: Checked,
  failing: FailingLegs,
): Promise<void> {
  if (check.ok) return;
  const rules = context.kinds.of(ready.leg);
  const again = check.kind === 'unavailable' || rules.isTriedAgain;
  if (!again) failing.over(ready.leg);
  if (check.kind === 'refused' && rules.isSpent(check)) {
    const found = await settlePaid(context, chain, ready.leg);
    if (found === 'paid') return failing.over(ready.leg);
    if (found === 'wait') return postpone(context, ready.leg, RETRY_MS);
  }
  const { kind } = check;
  const refuse = (unit: UnitOfWork, leg: LegRow): void => rules.onRefused(context, unit, leg, check);
  await decideOnLeg(context, 'engine.refuse', ready.leg, kind === 'unavailable' ? undefined : refuse);
  const level = again ? failing.failed(context, ready.leg, check) : 'info';
  context.log[level](
    { leg: ready.leg.id, kind: check.kind, reason: check.reason, message: check.message },
    'leg not executable',
  );
}
