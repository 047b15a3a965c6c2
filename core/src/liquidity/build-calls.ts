import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { DestinationCall } from '../contract/chain-capabilities.js';
import type { Clock } from '../contract/clock.js';
import type { SwapBuilt, SwapParties } from '../contract/liquidity.js';
import { serviceAccount } from '../domain/service-account.js';
import { refuseSwapCalls } from '../domain/swap-calls.js';
import type { FoundSwap } from './search-swaps.js';

export interface Waiting {
  readonly clock: Pick<Clock, 'sleep'>;
  /** Milliseconds that a source may take to build its calls. */
  readonly patienceMs: number;
  /** For a paid order; see `LiquiditySource.quote`. */
  readonly isPaid?: true;
}

export type CallsBuilt =
  | { readonly ok: true; readonly calls: readonly DestinationCall[] }
  | Extract<SwapBuilt, { ok: false }>;

/** The calls of a swap for the party that makes it, where the swap can be made. */
export async function buildCalls(
  chain: Pick<ChainAdapter, 'capabilities' | 'facts' | 'lanes'>,
  { source, wish, quote }: FoundSwap,
  parties: SwapParties,
  { clock, patienceMs, isPaid }: Waiting,
): Promise<CallsBuilt> {
  let built: SwapBuilt = { ok: true, quote };
  if (source.build) {
    const over = new AbortController();
    const late = clock.sleep(patienceMs, over.signal).then(() => BUILD_TIMED_OUT);
    const asked = source.build(wish, quote, parties, over.signal, isPaid).catch(() => BUILD_TIMED_OUT);
    built = await Promise.race([asked, late]).finally(() => over.abort('over'));
  }
  if (!built.ok) return built;
  const calls = source.calls(wish, built.quote, parties);
  const native = chain.facts.currency.address;
  const wrong = refuseSwapCalls(calls, {
    ...{ wish, quote: built.quote, parties },
    ...{ nativeIn: wish.input === native, nativeOut: wish.output === native },
    serviceAccount: (address) => serviceAccount(chain, address),
  });
  if (wrong !== undefined) return { ok: false, why: 'unavailable', message: `${source.id} offers ${wrong}` };
  return { ok: true, calls };
}

const BUILD_TIMED_OUT: SwapBuilt = Object.freeze({
  ok: false,
  why: 'unavailable',
  message: 'a source did not build its calls in time',
});
