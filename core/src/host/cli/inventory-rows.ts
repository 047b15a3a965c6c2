import { valueMicroUsd } from '../../domain/money.js';
import { type AdminTarget, callAdmin } from './admin-client.js';
import { UsageError } from './command.js';

/** Amounts are decimal text in the smallest unit. */
export interface InventoryRow {
  readonly chainId: number;
  readonly chain: string;
  /** Address. */
  readonly currency: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly group: string;
  readonly signer: string;
  readonly held: string;
  readonly available: string;
  readonly depository: string;
  readonly withdrawable: Readonly<Record<'free' | 'reserved' | 'gas' | 'promised' | 'owed' | 'unfinal', string>> | null;
  readonly usd: string | null;
  readonly target: string | null;
  readonly min: string | null;
}

export async function inventoryRows(target: AdminTarget): Promise<readonly InventoryRow[]> {
  return (await callAdmin<{ inventory: readonly InventoryRow[] }>(target, 'inventory')).inventory;
}

/**
 * @param chain id or name. @param currency address or symbol.
 * @throws UsageError for what is not configured, or names several.
 */
export function rowNamed(rows: readonly InventoryRow[], chain: string, currency: string): InventoryRow {
  const ofChain = rows.filter((row) => row.chain === chain || String(row.chainId) === chain);
  if (ofChain.length === 0) throw new UsageError(`chain ${chain} is not configured`);
  const named = ofChain.filter((row) => row.currency.toLowerCase() === currency.toLowerCase());
  const found = named.length > 0 ? named : ofChain.filter(({ symbol }) => symbol === currency);
  const [only] = found;
  if (only === undefined)
    throw new UsageError(`${currency} is no currency of ${chain}: ${ofChain.map(({ symbol }) => symbol).join(', ')}`);
  if (found.length > 1) throw new UsageError(`${currency} is the symbol of several currencies: say its address`);
  return only;
}

/** Micro-USD; undefined without a price. */
export function microUsdOf({ decimals, usd }: InventoryRow, amount: bigint): bigint | undefined {
  return usd === null ? undefined : valueMicroUsd(amount, decimals, usd, 'half');
}
