import type { FillLeg, FillTopUp } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import type { EngineContext } from '../base/context.js';
import type { Refused } from '../base/leg-rules.js';

/**
 * Invariant (G1): a fill and its inner top-up are bound to one key, or neither. A top-up already paid was paid with
 * the fill.
 */
export async function topUpFor({ store }: EngineContext, fill: LegRow): Promise<FillTopUp | Refused> {
  const topUp = await topUpLeg(store, fill);
  if (topUp === undefined || topUp.orderId === null) throw new Error(`${fill.id} has no coin to take along`);
  const { orderId, amount } = topUp;
  if (isReady(topUp, fill)) return { orderId, amount };
  const waits = topUp.state === 'short' || topUp.state === 'suspended';
  const message = `the coin that goes with it is ${topUp.state}`;
  return waits
    ? { ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW', message }
    : { ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message };
}

/** Undefined where the top-up changed, so that nothing may be signed for it. */
export async function unchangedTopUp(
  { store }: EngineContext,
  fill: LegRow,
  { topUp: reported }: Pick<FillLeg, 'topUp'>,
): Promise<LegRow | undefined> {
  const topUp = await topUpLeg(store, fill);
  if (reported === undefined || topUp === undefined || !isReady(topUp, fill)) return undefined;
  return topUp.orderId === reported.orderId && topUp.amount === reported.amount ? topUp : undefined;
}

async function topUpLeg(store: EngineContext['store'], { orderId }: LegRow): Promise<LegRow | undefined> {
  const [topUp] = orderId === null ? [] : await store.legs([legId.topUp(orderId)]);
  return topUp;
}

/** Owed, or signed with this fill. */
function isReady(topUp: LegRow, fill: LegRow): boolean {
  const isNear = topUp.chainId === fill.chainId && topUp.signer === fill.signer && topUp.fundingKey === fill.fundingKey;
  return (
    isNear && (fill.state === 'bound' ? topUp.state === 'bound' && topUp.key === fill.key : topUp.state === 'owed')
  );
}
