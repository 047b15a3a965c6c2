import { locate, type TonProvider } from './chain/read.js';
import type { TonTransaction } from './chain/transaction.js';
import { type Depository, ownJettonWallets } from './depository.js';

/** The service's jetton wallet, the recipient's, and the service's again on a return. */
const MAX_HOPS = 3;

/**
 * Change of the service's jetton transfer belongs to its fee (`Traces`) and is no deposit. Undefined where the
 * provider does not find the coins' origin.
 *
 * Not guaranteed: recognition of coins that such a transfer caused more hops away.
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
  for (let hop = 0; hop < MAX_HOPS && message !== undefined; hop += 1) {
    const sender = await locate(provider, 'source', message);
    if (sender === undefined) return undefined;
    message = sender.input;
    const from = message?.source;
    if (from === undefined) return false;
    const isOurs = wallets.has(sender.account);
    if (isOurs && depository.own.has(from)) return true;
    // Third parties' messages cost one lookup: only the service's transfers go further.
    if (!isOurs && !wallets.has(from)) return false;
  }
  return false;
}
