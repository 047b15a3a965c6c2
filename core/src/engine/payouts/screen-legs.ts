import type { FundingKey } from '../../contract/ids.js';
import type { DepositRow, LegRow } from '../../contract/store-rows.js';
import { joinedOf } from '../../domain/joined.js';
import type { WorkContext } from '../base/context.js';
import { isolate } from '../base/isolate.js';
import { isReleased } from '../base/leg-marks.js';
import { postponePoison } from '../base/poison.js';
import type { UnitOfWork } from '../base/unit-of-work.js';
import { decideOnLeg } from './decide-on-leg.js';
import { partiesOf } from './parties.js';
import type { Checked } from './sign-legs.js';

/**
 * Invariant: a leg is first signed only with parties cleared in the same round, unless an operator released it to a
 * named recipient. Signed legs continue: their bytes may land anyway.
 */
export async function screenLegs(context: WorkContext, good: readonly Checked[]): Promise<readonly Checked[]> {
  const { screening } = context;
  if (screening.isOff || good.length === 0) return good;
  const asked = good.filter(({ ready }) => !isReleased(ready.leg));
  const deposits = await depositsOf(context, asked);
  const groups = asked.map(({ ready: { leg, request } }) =>
    partiesOf(
      context,
      leg,
      request,
      transfersOf(leg).flatMap((key) => deposits.get(key) ?? []),
    ),
  );
  const answers = await screening.screen('payments', groups);
  const states = new Map(asked.map((one, n) => [one, lacksDeposit(deposits, one) ? 'unknown' : answers[n]?.state]));
  const not = good.filter((one) => states.has(one) && /* guard: payment-screening */ states.get(one) !== 'clear');
  await isolate(
    not,
    async (some) => {
      for (const one of some) await decide(context, one.ready.leg, states.get(one) === 'blocked');
    },
    ({ ready }, error) => postponePoison(context, ready.leg, error),
  );
  return good.filter((one) => !not.includes(one));
}

async function depositsOf({ store }: WorkContext, asked: readonly Checked[]): Promise<ReadonlyMap<string, DepositRow>> {
  const keys = asked.flatMap(({ ready: { leg } }) => transfersOf(leg));
  const rows = keys.length === 0 ? [] : await store.deposits([...new Set(keys)]);
  return new Map(rows.map((row) => [row.fundingKey, row]));
}

/** The payer is unknown: the leg waits. */
function lacksDeposit(deposits: ReadonlyMap<string, DepositRow>, { ready: { leg } }: Checked): boolean {
  return transfersOf(leg).some((key) => !deposits.has(key));
}

/** Transfers that the leg pays for. */
function transfersOf(leg: LegRow): readonly FundingKey[] {
  return leg.fundingKey === null ? [] : [leg.fundingKey, /* guard: joined-depositors */ ...joinedOf(leg).transfers];
}

async function decide(context: WorkContext, judged: LegRow, isBlocked: boolean): Promise<void> {
  const hold = (unit: UnitOfWork, leg: LegRow): void => context.kinds.of(leg).onBlocked(context, unit, leg);
  const decided = await decideOnLeg(context, 'engine.screen', judged, isBlocked ? hold : undefined);
  if (decided && isBlocked)
    context.log.warn({ leg: judged.id, requestId: judged.requestId }, 'a screener blocks a party: it is not paid');
}
