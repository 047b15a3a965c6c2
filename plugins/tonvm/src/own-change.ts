import { locate, type TonProvider } from './chain/read.js';
import type { TonTransaction } from './chain/transaction.js';
import { type Depository, ownJettonWallets } from './depository.js';

/** Our jetton wallet, that of whom it paid, and ours again where it came back. */
const MOST_HOPS = 3;

/**
 * Whether coins that reached the depository are left over from a jetton transfer of ours: what those bring back is a part of their fee
 * (`Traces`), and no deposit beside that. Undefined where the provider does not find what they came from.
 *
 * Not guaranteed: that coins which a jetton transfer of ours set in motion further on are told apart from others.
 *
 * @throws TransportError
 */
export async function isOwnChange(
  provider: TonProvider,
  depository: Depository,
  { input }: TonTransaction,
): Promise<boolean | undefined> {
  const wallets = ownJettonWallets(depository);
  let message = input;
  for (let hop = 0; hop < MOST_HOPS && message !== undefined; hop += 1) {
    const sender = await locate(provider, 'source', message);
    if (sender === undefined) return undefined;
    message = sender.input;
    const from = message?.source;
    if (from === undefined) return false;
    const isOurs = wallets.has(sender.account);
    if (isOurs && depository.own.has(from)) return true;
    // Strangers get one question: only transfers of ours go on from here.
    if (!isOurs && !wallets.has(from)) return false;
  }
  return false;
}
