import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Hex, OrderId } from '../contract/ids.js';
import type { SwapOutput } from '../contract/legs.js';
import { buildCalls, type CallsBuilt, type Waiting } from './build-calls.js';
import type { FoundSwap } from './search-swaps.js';

interface Swapping extends Waiting {
  readonly orderId: OrderId;
  readonly recipient: string;
  /** Minimum output, smallest unit. */
  readonly least: bigint;
  /** Calls of the order itself, made with the output. */
  readonly calls: readonly Hex[];
}

export type SwapMade =
  | { readonly ok: true; readonly calls: readonly Hex[]; readonly wanted?: SwapOutput }
  | Extract<CallsBuilt, { ok: false }>;

/**
 * Calls by which a fill exchanges its input, and the minimum that the recipient must receive. Where calls of the order
 * follow, the output goes to the account that makes them and only the venue enforces the minimum. Sources whose output
 * has to be measured cannot be used then (`sourcesFor`).
 */
export async function swapCalls(
  chain: Pick<ChainAdapter, 'capabilities' | 'facts' | 'lanes'>,
  found: FoundSwap,
  { orderId, recipient, least, calls, ...waiting }: Swapping,
): Promise<SwapMade> {
  const { destinationCalls } = chain.capabilities;
  if (destinationCalls === undefined) throw new Error('a chain that makes no calls cannot swap in a fill');
  const payer = destinationCalls.account(orderId, recipient);
  const parties = { payer, recipient: calls.length > 0 ? payer : recipient, limit: least };
  const built = await buildCalls(chain, found, parties, waiting);
  if (!built.ok) return built;
  const made = built.calls.map((call) => destinationCalls.encode(call));
  return calls.length > 0
    ? { ok: true, calls: [...made, ...calls] }
    : { ok: true, calls: made, wanted: { currency: found.wish.output, least } };
}
