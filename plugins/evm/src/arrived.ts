import type { RpcReceipt } from './rpc/types.js';
import { addressWord, wordUint } from './words.js';

/** `Transfer(address indexed from, address indexed to, uint256 value)` */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * How much of `moved` an account received according to Transfer events, between 0 and `moved`: a transfer fee mostly
 * shows as a lower amount or a second transfer.
 *
 * Undefined if all of it arrived or no transfer to the account is logged. Not guaranteed: a token whose balances
 * differ from its events; the ledger then exceeds the lane's balance, and an alert reports it.
 */
export function arrivedOf(
  receipt: RpcReceipt,
  { token, account, moved }: { readonly token: string; readonly account: string; readonly moved: bigint },
): bigint | undefined {
  const own = `0x${addressWord(account)}`;
  let came: bigint | undefined;
  for (const { address, topics, data } of receipt.logs) {
    const [event, from, to] = topics;
    // NFTs emit the same event with another number of topics.
    if (address.toLowerCase() !== token || event?.toLowerCase() !== TRANSFER) continue;
    if (topics.length !== 3 || data.length !== 66) continue;
    const amount = wordUint(data.slice(2));
    if (to?.toLowerCase() === own) came = (came ?? 0n) + amount;
    if (from?.toLowerCase() === own) came = (came ?? 0n) - amount;
  }
  if (came === undefined || came >= moved) return undefined;
  return came > 0n ? came : 0n;
}
