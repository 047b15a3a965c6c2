import type { DevnetFile } from '../dev/devnet-file.js';
import type { DemoClient } from './client.js';

type Chain = DevnetFile['chains'][number];

export async function inPoolsAlone(
  client: Pick<DemoClient, 'swapSources' | 'inventory'>,
  { chains: [from, to] }: Pick<DevnetFile, 'chains'>,
): Promise<string | undefined> {
  if (!from || !to || (await client.swapSources(to.id)).length === 0) return undefined;
  for (const { symbol } of to.currencies) {
    const there = from.currencies.find((currency) => currency.symbol === symbol);
    if (there && (await client.inventory(from.id, to.id, there.address)) === 0n) return symbol;
  }
  return undefined;
}

export function isExecutedByPayers({ contracts }: Pick<Chain, 'contracts'>): boolean {
  return contracts['swapEntry'] !== undefined;
}
