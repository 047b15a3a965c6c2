import type { DestinationCall } from '../contract/chain-capabilities.js';
import type { SwapParties, SwapQuote, SwapWish } from '../contract/liquidity.js';

const MAX_CALLS = 8;
const MAX_BYTES = 100_000;

export interface SwapCallBounds {
  readonly wish: SwapWish;
  readonly quote: Pick<SwapQuote, 'amountOut'>;
  readonly parties: Pick<SwapParties, 'limit' | 'recipient'>;
  readonly nativeIn: boolean;
  readonly nativeOut: boolean;
  readonly serviceAccount: (address: string) => string | undefined;
}

/**
 * Calls may not target accounts of the service except to pay the recipient there, and may send no coin but the input
 * or output. The rest is simulated on chain.
 */
export function refuseSwapCalls(calls: readonly DestinationCall[], bounds: SwapCallBounds): string | undefined {
  if (calls.length === 0 || calls.length > MAX_CALLS) return `a swap of ${calls.length} calls`;
  const { wish, quote, parties, nativeIn, nativeOut, serviceAccount } = bounds;
  let [sent, bytes] = [0n, 0];
  for (const { to, value, data } of calls) {
    // Pays the swap's recipient: a contract of the service when the output is deposited.
    const pays = to === parties.recipient && data === '0x';
    const own = pays ? undefined : serviceAccount(to);
    // guard: service-accounts-in-swaps
    if (own !== undefined) return `a call to ${to}, which ${own}`;
    if (value < 0n) return `a call with a value of ${value}`;
    sent += value;
    bytes += data.length / 2 - 1;
  }
  if (bytes > MAX_BYTES) return `calls of ${bytes} bytes`;
  const most = wish.kind === 'exactInput' ? wish.amount : parties.limit;
  const coin = (nativeIn ? most : 0n) + (nativeOut ? quote.amountOut : 0n);
  return sent > coin ? `calls that send ${sent} of native coin, where ${coin} are there` : undefined;
}
