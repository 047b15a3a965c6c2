import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { EngineContext } from '../../engine/base/context.js';
import { unsweptOf } from './swept.js';

/** One deposit address with money that the books know. Amounts in the smallest unit, as decimal text. */
export interface AuditAddress {
  readonly chainId: ChainId;
  readonly address: string;
  readonly currency: string;
  readonly ledger: string;
  /** Null: the chain did not answer. */
  readonly chain: string | null;
  /** Positive: dust, or not observed yet. Negative: swept, and the sweep is not final yet. */
  readonly difference: string | null;
}

export async function auditAddresses(context: EngineContext): Promise<readonly AuditAddress[]> {
  const found: AuditAddress[] = [];
  for (const chain of context.chains.values())
    for (const currency of chain.currencies()) found.push(...(await auditOne(context, chain, currency.address)));
  return found;
}

async function auditOne(
  context: EngineContext,
  chain: ChainAdapter,
  currency: string,
): Promise<readonly AuditAddress[]> {
  const unswept = await unsweptOf(context, chain, currency);
  if (unswept.size === 0) return [];
  const addresses = [...unswept.keys()];
  const held = await chain.capabilities.depositAddresses?.held(addresses, currency).catch((error: unknown) => {
    context.log.warn({ chainId: chain.facts.id, err: error }, 'deposit addresses could not be read for the audit');
    return undefined;
  });
  return addresses.map((address, n) => {
    const ledger = unswept.get(address) ?? 0n;
    const balance = held?.[n];
    return {
      ...{ chainId: chain.facts.id, address, currency, ledger: ledger.toString() },
      chain: balance === undefined ? null : balance.toString(),
      difference: balance === undefined ? null : (balance - ledger).toString(),
    };
  });
}
