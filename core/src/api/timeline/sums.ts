import type { ChainId } from '../../contract/ids.js';
import { formatUnits } from '../../domain/money.js';
import type { Sum } from '../schemas/timeline.js';
import type { TimelineFacts } from './facts.js';

type Chains = TimelineFacts['chains'];

export function sumOf(chains: Chains, chainId: ChainId, currency: string, amount: bigint): Sum {
  const known = chains.get(chainId)?.currency(currency);
  return {
    ...{ chainId, currency, amount: amount.toString() },
    amountFormatted: known ? formatUnits(amount, known.decimals) : null,
    symbol: known?.symbol ?? null,
  };
}

/** `1.5 USDC on Base`. */
export function inWords(chains: Chains, { chainId, currency, amount, amountFormatted, symbol }: Sum): string {
  const what = amountFormatted === null ? `${amount} units of ${currency}` : `${amountFormatted} ${symbol}`;
  return `${what} on ${nameOf(chains, chainId)}`;
}

export function nameOf(chains: Chains, chainId: ChainId): string {
  return chains.get(chainId)?.facts.displayName ?? `chain ${chainId}`;
}
