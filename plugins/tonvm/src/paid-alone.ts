import { NotYetError } from '@causeway/core';
import { accountOf } from './addresses.js';
import { locate, locateInPast, type TonProvider } from './chain/read.js';
import type { TonTransaction } from './chain/transaction.js';
import { type Depository, ownJettonWallets } from './depository.js';
import { arrivalOf } from './deposits.js';

/** Whether the received value was the depositor's: an account sends only what it has. */
export function isDepositorsMoney(depository: Depository, transaction: TonTransaction, depositor: string): boolean {
  return arrivalOf(depository, transaction)?.from === accountOf(depositor).toRawString();
}

/**
 * The depositor alone must cause the transfer: an external message, signed with its key, made its wallet send. A
 * contract that another party's message caused to send proves no ownership.
 *
 * @throws NotYetError while a provider lacks the transfer's first transaction. TransportError
 */
export async function paidAlone(
  provider: TonProvider,
  depository: Depository,
  transaction: TonTransaction,
  depositor: string,
): Promise<boolean> {
  if (!isDepositorsMoney(depository, transaction, depositor)) return false;
  const owner = accountOf(depositor).toRawString();
  // Coins come from the wallet; jettons from its jetton wallet on its order.
  let at = transaction;
  for (let hops = hopsTo(depository, transaction); hops > 0; hops -= 1) {
    const { input } = at;
    const source =
      input && ((await locate(provider, 'source', input)) ?? (await locateInPast(provider, 'source', input)));
    if (source === undefined) throw new NotYetError(`the provider does not show yet what sent ${at.hash}`);
    at = source;
  }
  return at.account === owner && at.externalHash !== undefined && !at.aborted;
}

/** Hops from the payer's wallet. Coins with a notice pass both jetton wallets. */
function hopsTo(depository: Depository, { account, input }: TonTransaction): number {
  if (account !== depository.raw) return 2;
  return input?.source !== undefined && ownJettonWallets(depository).has(input.source) ? 3 : 1;
}
