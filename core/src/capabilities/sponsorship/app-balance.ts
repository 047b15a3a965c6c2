import type { RequestId, UnixMs } from '../../contract/ids.js';
import type { Change, Store } from '../../contract/store.js';

/** All amounts are micro-USD. */
export interface Sponsored {
  readonly integratorId: string;
  readonly requestId: RequestId;
  readonly amount: bigint;
}

const balance = (integratorId: string) => `#appBalance:${integratorId}`;

export function reserveChanges({ integratorId, amount }: Sponsored, _now: UnixMs): readonly Change[] {
  return [{ op: 'count', account: balance(integratorId), by: -amount, atLeast: 0n }];
}

export function settleChanges({ integratorId, amount }: Sponsored, actual: bigint, _now: UnixMs): readonly Change[] {
  const back = actual < amount ? amount - actual : 0n;
  return back === 0n ? [] : [{ op: 'count', account: balance(integratorId), by: back }];
}

export function releaseChanges(sponsored: Sponsored, now: UnixMs): readonly Change[] {
  return settleChanges(sponsored, 0n, now);
}

export function available(store: Pick<Store, 'pot'>, integratorId: string): Promise<bigint> {
  return store.pot(balance(integratorId));
}
