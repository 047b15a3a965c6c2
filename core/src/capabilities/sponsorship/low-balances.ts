import { counter } from '../../domain/accounts.js';
import type { ServicePolicy } from '../../domain/policy.js';
import type { EngineContext } from '../../engine/base/context.js';

/** Whether what is left of a balance, micro-USD, is less than the operator asks for. */
export function isLow({ lowBalanceMicroUsd }: Pick<ServicePolicy, 'lowBalanceMicroUsd'>, available: bigint): boolean {
  return lowBalanceMicroUsd !== undefined && available < lowBalanceMicroUsd;
}

/** Alerts while a balance is low, before users are refused. Integrators that never had one have no counter. */
export async function checkBalances({
  store,
  alerts,
  policy,
}: Pick<EngineContext, 'store' | 'alerts' | 'policy'>): Promise<void> {
  if (policy.lowBalanceMicroUsd === undefined) return;
  const prefix = counter.available('');
  for (const { account, amount } of await store.pots(prefix)) {
    const integratorId = account.slice(prefix.length);
    const alert = `app-balance-low:${integratorId}`;
    if (!isLow(policy, amount)) alerts.clear(alert);
    else alerts.raise(alert, 'An app balance is nearly used up', { integratorId, available: amount.toString() });
  }
}
