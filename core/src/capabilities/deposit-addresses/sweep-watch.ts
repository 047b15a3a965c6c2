import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { FundingKey } from '../../contract/ids.js';
import type { DepositRow } from '../../contract/store-rows.js';
import { microUsdText } from '../../domain/money.js';
import type { EngineContext } from '../../engine/base/context.js';
import { microUsdOf } from '../../engine/books/value.js';
import { isShut } from '../../engine/payouts/judge-payback.js';
import { isWorthIt } from './sweep.js';
import { unsweptRows } from './swept.js';

/** A transfer that is final and worth its sweep is usually swept within a minute; milliseconds. */
const ALERT_AFTER_MS = 15 * 60_000;

/** Gauges of the money that waits at the deposit addresses of a chain, and an alert if it should have been swept. */
export class SweepWatch {
  /** Transfers that are final and worth their sweep, with the monotonic time since when this process knows it. */
  #since = new Map<FundingKey, number>();

  async round(context: EngineContext, chain: ChainAdapter): Promise<void> {
    const { metrics, clock } = context;
    const { id, displayName } = chain.facts;
    const rows = await unsweptRows(context, chain);
    const labels = { chain: id };
    metrics.gauge('unswept_transfers', 'Transfers that are still at their deposit addresses', rows.length, labels);
    const help = 'US dollars of transfers that are still at their deposit addresses';
    metrics.gauge('unswept_usd', help, dollars(context, rows), labels);
    const now = clock.monotonic();
    const due = isShut(context, { chainId: id }) ? [] : rows.filter((row) => isDue(context, row));
    this.#since = new Map(due.map(({ fundingKey }) => [fundingKey, this.#since.get(fundingKey) ?? now]));
    const late = due.filter(({ fundingKey }) => now - (this.#since.get(fundingKey) ?? now) >= ALERT_AFTER_MS);
    const alert = `sweeps-wait:${id}`;
    const [oldest] = late;
    if (oldest === undefined) return context.alerts.clear(alert);
    const { fundingKey, depositAddress } = oldest;
    const worth = `$${dollars(context, late).toFixed(2)}`;
    const message = `${late.length} transfers (${worth}) to deposit addresses of ${displayName} wait for their sweep: look at the gas and the lane of its sweeper, and at \`causeway addresses show ${depositAddress}\``;
    context.alerts.raise(alert, message, { chainId: id, fundingKey, depositAddress });
  }
}

function isDue(context: EngineContext, row: DepositRow): boolean {
  return row.state === 'final' && row.decision !== 'waiting' && isWorthIt(context, row) !== false;
}

function dollars(context: EngineContext, rows: readonly DepositRow[]): number {
  const sum = rows.reduce(
    (all, { chainId, currency, amount }) => all + microUsdOf(context, chainId, currency, amount),
    0n,
  );
  return Number(microUsdText(sum));
}
