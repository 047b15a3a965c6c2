import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { Currency } from '../../contract/currency.js';
import { counter } from '../../domain/accounts.js';
import { decimalText } from '../../domain/decimal.js';
import { microUsdText } from '../../domain/money.js';
import type { EngineContext } from '../base/context.js';
import { hasInventory } from '../base/lanes.js';
import type { InventoryView } from '../books/inventory.js';
import { reportTarget } from './inventory-targets.js';

/** Prometheus floats round large values. */
const FLOAT = 'A float, for display: the exact books are in the audit';

/**
 * For charts and alerts only.
 *
 * Invariant: each round exports exactly the configured lanes and currencies, with 0 for empty ones. A failed reading
 * keeps old values; the time of the last reading is exported too.
 */
export async function reportInventory(context: EngineContext, view: InventoryView): Promise<void> {
  const { chains, metrics, policy, store } = context;
  const unfinal = new Map((await store.pots('#unfinal:')).map(({ account, amount }) => [account, amount]));
  for (const chain of chains.values())
    for (const currency of chain.currencies()) {
      reportCurrency(context, view, chain, currency);
      reportTarget(context, view, chain, currency);
      const exposed = unfinal.get(counter.unfinal(chain.facts.id, currency.address)) ?? 0n;
      const help = 'US dollars of deposits that were acted upon and are not final';
      metrics.gauge('exposure_usd', help, dollars(exposed), labelsOf(currency));
    }
  metrics.gauge('daily_volume_usd', 'US dollars accepted since midnight UTC', dollars(view.volume(context)));
  const { maxUnfinalMicroUsd, maxDailyMicroUsd } = policy.limits;
  if (maxUnfinalMicroUsd !== null) {
    const help = 'Most exposure that is taken per chain and currency';
    metrics.gauge('exposure_limit_usd', help, dollars(maxUnfinalMicroUsd));
  }
  if (maxDailyMicroUsd !== null)
    metrics.gauge('daily_volume_limit_usd', 'Most that is accepted per UTC day', dollars(maxDailyMicroUsd));
  if (policy.fixedRate !== undefined) {
    const { maxHeldMicroUsd } = policy.fixedRate;
    const kept = 'US dollars of outputs reserved for unpaid quotes with a fixed rate';
    metrics.gauge('earmarked_usd', kept, dollars(await store.pot(counter.earmarked)));
    metrics.gauge('earmarked_limit_usd', 'Maximum reserved for them at one time', dollars(maxHeldMicroUsd));
  }
  const help = 'Unix time at which inventory and volume were last read';
  if (view.readAt !== undefined) metrics.gauge('books_read_timestamp_seconds', help, view.readAt / 1_000);
}

function reportCurrency(context: EngineContext, view: InventoryView, chain: ChainAdapter, currency: Currency): void {
  const { metrics } = context;
  const { chainId, address, decimals } = currency;
  const whole = (amount: bigint) => Number(decimalText(amount, decimals));
  const shared = labelsOf(currency);
  for (const { signer } of chain.lanes.filter(hasInventory)) {
    const labels = { ...shared, lane: signer };
    const [held, reserved] = [view.ledger(chainId, signer, address), view.reserved(chainId, signer, address)];
    const free = view.free(context, chain, signer, address);
    metrics.gauge('inventory_units', `What a lane holds by the books, whole units. ${FLOAT}`, whole(held), labels);
    metrics.gauge('inventory_reserved_units', `Promised to fills not yet included. ${FLOAT}`, whole(reserved), labels);
    metrics.gauge('inventory_free_units', `What a lane may still pay out. ${FLOAT}`, whole(free), labels);
  }
  const available = view.available(context, chainId, address);
  metrics.gauge('inventory_available_units', `What new quotes may promise. ${FLOAT}`, whole(available), shared);
}

/** Two currencies may share a symbol. */
function labelsOf({ chainId, address, symbol }: Currency) {
  return { chain: chainId, currency: address, symbol };
}

function dollars(microUsd: bigint): number {
  return Number(microUsdText(microUsd));
}
