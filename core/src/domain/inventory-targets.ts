import type { ChainId } from '../contract/ids.js';
import { parseUnits } from './money.js';

/** What the filling lane of a chain should have of a currency. */
export interface InventoryTarget {
  readonly chainId: ChainId;
  /** Symbol or address. */
  readonly currency: string;
  /** Whole units, exact decimal text. */
  readonly target: string;
  /** Below it an alert is raised. */
  readonly min: string;
}

/** Smallest unit. */
export interface TargetAmounts {
  readonly target: bigint;
  readonly min: bigint;
}

/** The target of a currency; undefined without one. */
export function targetOf(
  targets: readonly InventoryTarget[],
  currency: { readonly chainId: ChainId; readonly address: string; readonly symbol: string; readonly decimals: number },
): TargetAmounts | undefined {
  const found = targets.find(
    (one) =>
      one.chainId === currency.chainId && (one.currency === currency.address || one.currency === currency.symbol),
  );
  if (found === undefined) return undefined;
  const [target, min] = [found.target, found.min].map((text) => parseUnits(text, currency.decimals));
  return target?.ok && min?.ok ? { target: target.amount, min: min.amount } : undefined;
}
