import type { Currency } from '../../contract/currency.js';
import { partedBps } from '../../domain/pair-price.js';
import type { WorkContext } from '../base/context.js';

/** Alerts when prices within a one-to-one group diverge. */
export function checkGroups(context: WorkContext): void {
  const groups = new Map<string, Currency[]>();
  for (const chain of context.chains.values()) {
    for (const currency of [chain.facts.currency, ...chain.currencies()])
      groups.set(currency.group, [...(groups.get(currency.group) ?? []), currency]);
  }
  for (const [group, members] of groups) {
    const known = members.flatMap((currency) => {
      const price = context.prices.price(currency);
      return price.ok ? [price.usd] : [];
    });
    const parted = Math.max(0, ...known.flatMap((one) => known.map((other) => partedBps(one, other))));
    const alert = `parted:${group}`;
    if (parted <= context.policy.mostPartedBps) context.alerts.clear(alert);
    else
      context.alerts.raise(alert, `The prices of ${group} have diverged: its members are not exchanged`, {
        group,
        bps: parted,
        members: members.map(({ chainId, address }) => `${chainId}:${address}`),
      });
  }
}
