import { NotYetError } from '@causeway/core';
import { accountOf } from './addresses.js';
import { locate, locateInPast, type TonProvider } from './chain/read.js';
import type { TonTransaction } from './chain/transaction.js';
import { type Depository, ownJettonWallets } from './depository.js';
import { arrivalOf } from './deposits.js';

/** Whether what a transaction brought was the depositor's: an account sends what it has, and nothing else. */
export function isOwnMoney(depository: Depository, transaction: TonTransaction, depositor: string): boolean {
  return arrivalOf(depository, transaction)?.from === accountOf(depositor).toRawString();
}

/**
 * Whether the depositor is the one party that made a transfer: its wallet was told to, from outside, by whoever holds its key. What a
 * contract was made to send by somebody else's message is no proof of whose it is.
 *
 * @throws NotYetError while a provider does not have what the transfer began with. TransportError
 */
export async function paidAlone(
  provider: TonProvider,
  depository: Depository,
  transaction: TonTransaction,
  depositor: string,
): Promise<boolean> {
  if (!isOwnMoney(depository, transaction, depositor)) return false;
  const owner = accountOf(depositor).toRawString();
  // Coins come from the wallet; jettons from its jetton wallet, which it told to.
  let at = transaction;
  for (let hops = hopsTo(depository, transaction); hops > 0; hops -= 1) {
    const { input } = at;
    const source =
      input && ((await locate(provider, 'source', input)) ?? (await locateInPast(provider, 'source', input)));
    if (source === undefined) throw new NotYetError(`it is not told what sent ${at.hash}`);
    at = source;
  }
  return at.account === owner && at.externalHash !== undefined && !at.aborted;
}

/** Messages from the payer's wallet to what it paid. Coins that come with a notice went by its jetton wallet and ours. */
function hopsTo(depository: Depository, { account, input }: TonTransaction): number {
  if (account !== depository.raw) return 2;
  return input?.source !== undefined && ownJettonWallets(depository).has(input.source) ? 3 : 1;
}
