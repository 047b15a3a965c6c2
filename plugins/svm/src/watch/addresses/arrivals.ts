import type { BlockRef, DepositObservation } from '@causeway/core';
import { isNative, parseAddress } from '../../addresses.js';
import { fundingKeyAt } from '../../deposit-addresses/funding.js';
import { depositorOf } from '../../depositor.js';
import type { ReadTransaction } from '../../transactions/read.js';
import { transfersOf } from '../../transactions/transfers.js';
import { isSweep, type Vault } from '../read-deposits.js';

/** A deposit address in one currency. */
export interface WatchedAccount {
  readonly address: string;
  /** The address itself for the native coin, else its associated token account. */
  readonly account: string;
  readonly currency: string;
}

/** Balance change of the account by the transaction, smallest unit. */
export function changeAt({ account, currency }: WatchedAccount, { ok, lamports, tokens }: ReadTransaction): bigint {
  if (!ok) return 0n;
  const change = isNative(currency) ? lamports.get(account) : tokens.get(account);
  return change === undefined ? 0n : change.after - change.before;
}

/**
 * One transfer for everything that the transaction added to the account, by any instructions: so deposits of an address
 * always sum up to its balance plus what was swept. Coins that a sweep adds are lent, and no transfer.
 */
export function arrivalAt(
  vault: Pick<Vault, 'chainId' | 'sweeper'>,
  watched: WatchedAccount,
  transaction: ReadTransaction,
  block: BlockRef,
): DepositObservation | undefined {
  const amount = changeAt(watched, transaction);
  if (amount <= 0n || isSweep(vault, transaction)) return undefined;
  const { account, currency, address } = watched;
  const { signature } = transaction;
  return {
    fundingKey: fundingKeyAt(vault.chainId, { signature, account }),
    chainId: vault.chainId,
    transactionHash: signature,
    currency,
    amount,
    depositor: onlyDepositor(transaction, account),
    orderId: null,
    depositAddress: address,
    state: 'included',
    block,
  };
}

/** Tokens of configured mints in other accounts of the address: no sweep reaches them. */
export function straysAt(
  vault: Pick<Vault, 'chainId' | 'accounts'>,
  { address, account: own }: WatchedAccount,
  transaction: ReadTransaction,
  block: BlockRef,
  isOwn: (account: string) => boolean,
): readonly DepositObservation[] {
  const mints = new Set(vault.accounts.values());
  const { signature } = transaction;
  return [...transaction.tokens].flatMap(([account, { owner, mint, before, after }]) => {
    const strays = owner === address && account !== own && !isOwn(account) && mints.has(mint) && after > before;
    if (!strays || !transaction.ok) return [];
    return [
      {
        fundingKey: fundingKeyAt(vault.chainId, { signature, account }),
        chainId: vault.chainId,
        transactionHash: signature,
        currency: mint,
        amount: after - before,
        depositor: onlyDepositor(transaction, account),
        orderId: null,
        depositAddress: address,
        state: 'included' as const,
        block,
        stray: true as const,
      },
    ];
  });
}

/** The depositor; empty where there are several, or none that is an address. */
function onlyDepositor(transaction: ReadTransaction, account: string): string {
  const into = transfersOf(transaction).filter(({ from, to }) => to === account && from !== to);
  const [first, ...others] = new Set(into.map((each) => depositorOf(transaction, each)));
  return first !== undefined && others.length === 0 && parseAddress(first).ok ? first : '';
}
