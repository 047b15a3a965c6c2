import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import { decimalText } from '../../domain/decimal.js';
import { targetOf } from '../../domain/inventory-targets.js';
import type { EngineContext } from '../base/context.js';
import type { InventoryView } from '../books/inventory.js';

/** Metrics of a currency's target, and an alert below its minimum. Nothing without a target. */
export function reportTarget(
  context: EngineContext,
  view: InventoryView,
  { facts }: ChainAdapter,
  currency: Currency,
): void {
  const { policy, metrics, alerts } = context;
  const target = targetOf(policy.inventoryTargets ?? [], currency);
  if (target === undefined) return;
  const { chainId, address, symbol, decimals } = currency;
  const labels = { chain: chainId, currency: address, symbol };
  const held = view.held(context, chainId, address);
  const whole = (amount: bigint) => Number(decimalText(amount, decimals));
  metrics.gauge('inventory_target_units', 'What is to be held, whole units', whole(target.target), labels);
  metrics.gauge('inventory_minimum_units', 'Below it an alert is raised, whole units', whole(target.min), labels);
  const id = `inventory-low:${chainId}:${address}`;
  // Before the books are read, nothing is known to be missing.
  if (view.readAt === undefined || held >= target.min) return alerts.clear(id);
  alerts.raise(id, 'The inventory is below its minimum: see causeway rebalance', {
    ...{ chain: facts.name, currency: symbol },
    ...{ held: held.toString(), min: target.min.toString(), target: target.target.toString() },
  });
}
