import type { RpcReceipt } from './rpc/types.js';
import { addressWord, wordUint } from './words.js';

/** `Transfer(address indexed from, address indexed to, uint256 value)`, as tokens tell of it. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * What of `moved` came to an account, by what the token itself tells of its transfers in one transaction: a token that keeps a
 * part mostly tells of less, or of a second transfer that takes the part away. Never more than `moved`, nor less than nothing.
 *
 * Undefined where all of it came, and where the token tells of no transfer to the account. Not guaranteed: a token whose
 * balances differ from what it tells; then the books say more than the lane has, and the service's alert names it.
 */
export function arrivedOf(
  receipt: RpcReceipt,
  { token, account, moved }: { readonly token: string; readonly account: string; readonly moved: bigint },
): bigint | undefined {
  const own = `0x${addressWord(account)}`;
  let came: bigint | undefined;
  for (const { address, topics, data } of receipt.logs) {
    const [event, from, to] = topics;
    // The same event with another number of topics is of collectibles.
    if (address.toLowerCase() !== token || event?.toLowerCase() !== TRANSFER) continue;
    if (topics.length !== 3 || data.length !== 66) continue;
    const amount = wordUint(data.slice(2));
    if (to?.toLowerCase() === own) came = (came ?? 0n) + amount;
    if (from?.toLowerCase() === own) came = (came ?? 0n) - amount;
  }
  if (came === undefined || came >= moved) return undefined;
  return came > 0n ? came : 0n;
}
