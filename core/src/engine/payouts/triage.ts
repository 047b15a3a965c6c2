import { joinHeld, loadHeld } from '../../capabilities/deposit-addresses/join-held.js';
import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { LegRow } from '../../contract/store-rows.js';
import { account } from '../../domain/accounts.js';
import { decideAndCommit, type WorkContext } from '../base/context.js';
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
}

/** Judges without asking the chain. Commits changes, returns ready legs as stored. Null while the lane is halted. */
export async function triage(
  context: WorkContext,
  chain: ChainAdapter,
  signer: string,
  due: readonly LegRow[],
  fresh = true,
): Promise<readonly Ready[] | null> {
  // Rows from the list just read; if one changed since, the commit that relies on it fails.
  let known: readonly LegRow[] | undefined = fresh ? due : undefined;
  return decideAndCommit(context, 'engine.triage', async () => {
    const unit = new UnitOfWork();
    const read = known ?? (await context.store.legs(due.map((leg) => leg.id)));
    known = undefined;
    const legs = read.filter((leg) => leg.state === 'owed' || leg.state === 'short');
    for (const leg of legs) unit.load('legs', leg);
    const requestIds = legs.flatMap((leg) => (leg.requestId === null ? [] : [leg.requestId]));
    const short = legs.some((leg) => leg.state === 'short');
    const [lane, budget, toCollect, doubts] = await Promise.all([
      context.store.lane(chain.facts.id, signer),
      short ? Budget.load(context) : undefined,
      short ? context.store.pots(`depository:${chain.facts.id}:`) : [],
      loadDoubts(context, legs),
      loadViews(context, unit, requestIds),
    ]);
    if (!lane || /* guard: halted-lanes */ lane.halted !== null) return { work: new UnitOfWork(), result: null };
    const held = await loadHeld(context, unit, chain, legs);
    const ready: Ready[] = [];
    const means = meansOf(budget, new Map(toCollect.map((pot) => [pot.account, pot.amount])));
    for (const leg of legs) {
      // Invariant (G3): a leg that another leg's turn changed had its own turn.
      if (unit.get('legs', leg.id) !== leg) continue;
      const request = leg.requestId === null ? undefined : unit.get('requests', leg.requestId);
      const deposit = leg.fundingKey === null ? undefined : unit.get('deposits', leg.fundingKey);
      const doubt = doubts.about(leg, request, deposit);
      if (doubt === 'none' && joinHeld(context, unit, { chain, leg, request, deposit }, held)) continue;
      const judged = context.kinds.of(leg).judge(context, unit, { chain, leg, request, deposit, means, doubt });
      // A leg changed here is executed next round.
      if (judged === null || unit.get('legs', leg.id) !== leg) continue;
      ready.push({
        leg,
        request,
        ...judged,
        unproven: payerOf(context, chain, leg, request, deposit) === 'unproven',
        doubt: doubt === 'ask' || doubt === 'idle' || doubt === 'hold' ? doubt : null,
        maybePaid: doubts.maybePaid(leg, deposit),
        maybeDone: doubts.maybeDone(leg, deposit),
        failed: lapsed(unit, leg) !== undefined,
        late: doubt === 'idle' && request ? tooLate(context, chain, leg, request) : null,
      });
    }
    return { work: unit, result: ready };
  });
}

function meansOf(budget: Budget | undefined, toCollect: ReadonlyMap<string, bigint>): Means {
  return {
    claim: (unit, leg, deposit, extra) => budget?.claim(unit, leg, deposit, extra),
    reserve: (unit, leg) => budget?.reserve(unit, leg) === true,
    reach: (leg) => (budget?.meansOf(leg) ?? 0n) + (toCollect.get(account.depository(leg.chainId, leg.currency)) ?? 0n),
  };
}
