import { joinHeld, loadHeld } from '../../capabilities/deposit-addresses/join-held.js';
import { loadSponsors, sponsoredBody } from '../../capabilities/sponsorship/sponsor-fill.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
import type { FreshLeg } from '../base/fresh-legs.js';
import type { Due, Means } from '../base/leg-rules.js';
import { loadViews } from '../base/load.js';
import { UnitOfWork } from '../base/unit-of-work.js';
import { Budget } from '../books/budget.js';
import { type Doubted, loadDoubts } from '../recovery/index.js';
import { lapsed } from './give-up.js';
import { tooLate } from './judge-fill.js';
import { payerOf } from './proof-of-payer.js';

export interface Ready extends Due, Doubted {
  /** Its recipient must first be proven by the chain. */
  readonly unproven: boolean;
  /** Landed once without effect, or broadcast and expired. */
  readonly failed: boolean;
  /** Its request as read has no other rows: no deposits and no transactions. */
  readonly alone: boolean;
}

/**
 * Judges without asking the chain. Commits changes, returns ready legs as stored. Null while the lane is halted.
 *
 * @param given with these legs; null: the legs were not just read.
 */
export async function triage(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  due: readonly LegRow[],
  given: readonly FreshLeg[] | null,
): Promise<readonly Ready[] | null> {
  // Rows from the list just read; if one changed since, the commit that relies on it fails.
  let known: readonly LegRow[] | undefined = given === null ? undefined : due;
  let requests = new Map((given ?? []).map(({ request }) => [request.id, request]));
  return decideAndCommit(context, 'engine.triage', async () => {
    const unit = new UnitOfWork();
    const read = known ?? (await context.store.legs(due.map((leg) => leg.id)));
    known = undefined;
    for (const request of requests.values()) unit.load('requests', request);
    const legs = read.filter((leg) => leg.state === 'owed' || leg.state === 'short');
    for (const leg of legs) unit.load('legs', leg);
    const requestIds = legs.flatMap(({ requestId: id }) => (id === null || requests.has(id) ? [] : [id]));
    requests = new Map();
    const short = legs.some((leg) => leg.state === 'short');
    const [lane, budget, toCollect, doubts] = await Promise.all([
      context.store.lane(chain.facts.id, signer),
      short ? Budget.load(context) : undefined,
      short ? context.store.pots(`depository:${chain.facts.id}:`) : [],
      loadDoubts(context, legs),
      loadViews(context, unit, requestIds),
    ]);
    if (!lane || /* guard: halted-lanes */ lane.halted !== null) return { work: new UnitOfWork(), result: null };
    budget?.admit(await loadSponsors(context, unit.all('requests').map(sponsoredBody)));
    const held = await loadHeld(context, unit, chain, legs);
    const ready: Ready[] = [];
    const means = meansOf(budget, new Map(toCollect.map((pot) => [pot.account, pot.amount])));
    const moved = new Set([...unit.all('transactions'), ...unit.all('deposits')].map(({ requestId }) => requestId));
    for (const leg of legs) {
      // Invariant (G3): a leg that another leg's turn changed had its own turn.
      if (unit.get('legs', leg.id) !== leg) continue;
      const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
      const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
      const doubt = doubts.about(leg, request, deposit);
      const maybeDone = doubts.maybeDone(leg, deposit);
      const join = (): boolean =>
        doubt === 'none' &&
        /* guard: joined-to-undoubted */ !maybeDone &&
        joinHeld(context, unit, { chain, leg, request, deposit }, held);
      const turn = { chain, leg, request, deposit, means, doubt, join };
      const judged = context.kinds.of(leg).judge(context, unit, turn);
      // A leg changed here is executed next round.
      if (judged === null || unit.get('legs', leg.id) !== leg) continue;
      ready.push({
        leg,
        request,
        ...judged,
        unproven: payerOf(context, chain, leg, request, deposit) === 'unproven',
        doubt: doubt === 'ask' || doubt === 'idle' || doubt === 'hold' ? doubt : null,
        maybePaid: doubts.maybePaid(leg, deposit),
        maybeDone,
        failed: lapsed(unit, leg) !== undefined,
        alone: request !== undefined && !moved.has(request.id),
        late: doubt === 'idle' && request ? tooLate(context, chain, leg, request) : null,
      });
    }
    return { work: unit, result: ready };
  });
}

function meansOf(budget: Budget | undefined, toCollect: ReadonlyMap<string, bigint>): Means {
  return {
    claim: (unit, leg, deposit, extra) => budget?.claim(unit, leg, deposit, extra),
    total: (unit, account) => budget?.total(unit, account) ?? 0n,
    sponsorKey: (id) => budget?.sponsorKey(id),
    reserve: (unit, leg) => budget?.reserve(unit, leg) === true,
    reach: (leg) => (budget?.meansOf(leg) ?? 0n) + (toCollect.get(account.depository(leg.chainId, leg.currency)) ?? 0n),
  };
}
