import type { DestinationCall } from '../contract/chain-capabilities.js';
import type { SwapParties, SwapQuote, SwapWish } from '../contract/liquidity.js';

const MOST_CALLS = 8;
/** Of all calls together. */
const MOST_BYTES = 100_000;

export interface SwapCallBounds {
  readonly wish: SwapWish;
  readonly quote: Pick<SwapQuote, 'amountOut'>;
  readonly parties: Pick<SwapParties, 'limit' | 'recipient'>;
  /** Whether the input and the output are native coin. */
  readonly nativeIn: boolean;
  readonly nativeOut: boolean;
  /** What an address is of ours; undefined for everybody else's. */
  readonly ownAccount: (address: string) => string | undefined;
}

/**
 * What is wrong with the calls of a source, whoever wrote them; undefined where nothing is. They aim at nothing of ours, unless
 * they only pay the recipient there, and send no coin but what goes in or comes out. What they do otherwise is tried on the chain.
 */
export function refuseSwapCalls(calls: readonly DestinationCall[], bounds: SwapCallBounds): string | undefined {
  if (calls.length === 0 || calls.length > MOST_CALLS) return `a swap of ${calls.length} calls`;
  const { wish, quote, parties, nativeIn, nativeOut, ownAccount } = bounds;
  let [sent, bytes] = [0n, 0];
  for (const { to, value, data } of calls) {
    // Coin that is passed on to whom the swap is for, who is a contract of ours where it is deposited there.
    const pays = to === parties.recipient && data === '0x';
    const own = pays ? undefined : ownAccount(to);
    if (own !== undefined) return `a call to ${to}, which ${own}`;
    if (value < 0n) return `a call with a value of ${value}`;
    sent += value;
    bytes += data.length / 2 - 1;
  }
  if (bytes > MOST_BYTES) return `calls of ${bytes} bytes`;
  const most = wish.kind === 'exactInput' ? wish.amount : parties.limit;
  const coin = (nativeIn ? most : 0n) + (nativeOut ? quote.amountOut : 0n);
  return sent > coin ? `calls that send ${sent} of native coin, where ${coin} are there` : undefined;
}
