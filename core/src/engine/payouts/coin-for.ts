import type { FillLeg, TopUpCoin } from '../../contract/legs.js';
import type { LegRow } from '../../contract/store-rows.js';
import { legId } from '../../domain/accounts.js';
import type { EngineContext } from '../base/context.js';
import type { Refused } from '../base/leg-rules.js';

/**
 * Invariant (G1): a fill and its inner top-up are bound to one key, or neither. A top-up already paid was paid with
 * the fill.
 */
export async function coinFor({ store }: EngineContext, fill: LegRow): Promise<TopUpCoin | Refused> {
  const coin = await coinLeg(store, fill);
  if (coin === undefined || coin.orderId === null) throw new Error(`${fill.id} has no coin to take along`);
  const { orderId, amount } = coin;
  if (isReady(coin, fill)) return { orderId, amount };
  const waits = coin.state === 'short' || coin.state === 'suspended';
  const message = `the coin that goes with it is ${coin.state}`;
  return waits
    ? { ok: false, kind: 'unavailable', reason: 'SOLVER_BALANCE_TOO_LOW', message }
    : { ok: false, kind: 'refused', reason: 'ORDER_ALREADY_FILLED', message };
}

/** Undefined where the top-up changed, so that nothing may be signed for it. */
export async function takenAlong(
  { store }: EngineContext,
  fill: LegRow,
  { coin: reported }: Pick<FillLeg, 'coin'>,
): Promise<LegRow | undefined> {
  const coin = await coinLeg(store, fill);
  if (reported === undefined || coin === undefined || !isReady(coin, fill)) return undefined;
  return coin.orderId === reported.orderId && coin.amount === reported.amount ? coin : undefined;
}

async function coinLeg(store: EngineContext['store'], { orderId }: LegRow): Promise<LegRow | undefined> {
  const [coin] = orderId === null ? [] : await store.legs([legId.topUp(orderId)]);
  return coin;
}

/** Owed, or signed with this fill. */
function isReady(coin: LegRow, fill: LegRow): boolean {
  const isNear = coin.chainId === fill.chainId && coin.signer === fill.signer && coin.fundingKey === fill.fundingKey;
  return isNear && (fill.state === 'bound' ? coin.state === 'bound' && coin.key === fill.key : coin.state === 'owed');
}
