import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Clock } from '../contract/clock.js';
import type { Hex, OrderId } from '../contract/ids.js';
import type { SwapOutput } from '../contract/legs.js';
import type { SwapBuilt } from '../contract/liquidity.js';
import { ownAccount } from '../domain/own-account.js';
import { refuseSwapCalls } from '../domain/swap-calls.js';
import type { FoundSwap } from './search-swaps.js';

interface Swapping {
  readonly orderId: OrderId;
  readonly recipient: string;
  /** Least that may come out, smallest unit. */
  readonly least: bigint;
  /** Calls of the order itself, which are made with what comes out. */
  readonly calls: readonly Hex[];
  readonly clock: Pick<Clock, 'sleep'>;
  /** Longest that a source which has to build its calls is waited for, milliseconds. */
  readonly patienceMs: number;
}

export type SwapMade =
  | { readonly ok: true; readonly calls: readonly Hex[]; readonly wanted?: SwapOutput }
  | Extract<SwapBuilt, { ok: false }>;

/**
 * Calls that a fill makes to exchange what it gives, and what they must have brought its recipient. Calls of the order follow the
 * exchange: then its output goes to the account that makes them, and the venue alone holds it to the least, because what they
 * leave to the recipient is their own business. Sources whose output has to be measured cannot be used so (`sourcesFor`).
 */
export async function swapCalls(
  chain: Pick<ChainAdapter, 'capabilities' | 'facts' | 'lanes'>,
  { source, wish, quote }: FoundSwap,
  { orderId, recipient, least, calls, clock, patienceMs }: Swapping,
): Promise<SwapMade> {
  const { destinationCalls } = chain.capabilities;
  if (destinationCalls === undefined) throw new Error('a chain that makes no calls cannot swap in a fill');
  const payer = destinationCalls.account(orderId, recipient);
  const parties = { payer, recipient: calls.length > 0 ? payer : recipient, limit: least };
  let built: SwapBuilt = { ok: true, quote };
  if (source.build) {
    const over = new AbortController();
    const late = clock.sleep(patienceMs, over.signal).then(() => LATE);
    const asked = source.build(wish, quote, parties, over.signal).catch(() => LATE);
    built = await Promise.race([asked, late]).finally(() => over.abort('over'));
  }
  if (!built.ok) return built;
  const bare = source.calls(wish, built.quote, parties);
  const native = chain.facts.currency.address;
  const wrong = refuseSwapCalls(bare, {
    ...{ wish, quote: built.quote, parties },
    ...{ nativeIn: wish.input === native, nativeOut: wish.output === native },
    ownAccount: (address) => ownAccount(chain, address),
  });
  if (wrong !== undefined) return { ok: false, why: 'unavailable', message: `${source.id} offers ${wrong}` };
  const made = bare.map((call) => destinationCalls.encode(call));
  return calls.length > 0
    ? { ok: true, calls: [...made, ...calls] }
    : { ok: true, calls: made, wanted: { currency: wish.output, least } };
}

const LATE: SwapBuilt = Object.freeze({
  ok: false,
  why: 'unavailable',
  message: 'a source did not build its calls in time',
});
