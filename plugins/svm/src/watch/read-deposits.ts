import {
  type BlockRef,
  type ChainId,
  type DepositObservation,
  type FundingKey,
  type OrderId,
  onlyOrderId,
} from '@causeway/core';
import { TransportError } from '@causeway/core/rpc';
import { NATIVE } from '../addresses.js';
import { depositorOf } from '../depositor.js';
import type { ReadTransaction } from '../transactions/read.js';
import { memosOf, type Transfer, transfersOf } from '../transactions/transfers.js';

/** Where deposits arrive. */
export interface Vault {
  readonly chainId: ChainId;
  /** Takes the native coin. */
  readonly address: string;
  /** Its associated accounts, by which configured tokens arrive: mints by account. */
  readonly accounts: ReadonlyMap<string, string>;
  /** Accounts of the solver, whose money is nobody's deposit. Absent: none is known. */
  readonly own?: ReadonlySet<string>;
}

/**
 * What arrived with one transaction. Its memos name an order where exactly one id is among them, whatever else a wallet adds. Its
 * transfers are one deposit of that order where they are of one currency and one depositor; of others no one can say which one is meant,
 * and none of them names an order.
 *
 * What the solver itself moves into its vault is its own money and no deposit.
 *
 * Invariant: a deposit is what arrives at the vault's own address and its associated accounts, which books and collects go
 * by. Anybody can open further token accounts in the vault's name: what arrives there is `stray`, and funds nothing.
 *
 * @param onForeign told of the mints of what arrived in the vault's name and is not configured.
 * @throws TransportError where a transfer to an associated account comes without the balances that say what arrived.
 */
export function readDeposits(
  vault: Vault,
  transaction: ReadTransaction,
  state: 'included' | 'final',
  block: BlockRef,
  onForeign: (mint: string) => void = () => undefined,
): readonly DepositObservation[] {
  if (!transaction.ok) return [];
  const transfers = transfersOf(transaction).filter(
    (each) =>
      each.from !== each.to &&
      /* guard: svm-own-money-deposits */ vault.own?.has(depositorOf(transaction, each)) !== true,
  );
  const arrivals = transfers.filter((each) => arrivesAt(vault, each));
  const strays = transfers.filter((each) => straysTo(vault, transaction, each, onForeign));
  const amounts = arrived(transaction, [...arrivals, ...strays]);
  const observed = (transfer: Transfer): readonly DepositObservation[] => {
    const amount = amounts.get(transfer.path) ?? 0n;
    if (amount === 0n) return [];
    const currency = transfer.kind === 'token' ? transaction.tokens.get(transfer.to)?.mint : NATIVE;
    if (currency === undefined) {
      throw new TransportError(`${transaction.signature} tells no balance of ${transfer.to}`, 'malformed');
    }
    return [
      {
        fundingKey: fundingKey(vault.chainId, transaction.signature, transfer.path),
        chainId: vault.chainId,
        transactionHash: transaction.signature,
        currency,
        amount,
        depositor: depositorOf(transaction, transfer),
        orderId: null,
        depositAddress: null,
        state,
        block,
      },
    ];
  };
  return [
    ...named(arrivals.flatMap(observed), onlyOrderId(memosOf(transaction))),
    ...strays.flatMap(observed).map((one) => ({ ...one, stray: true as const })),
  ];
}

/** What arrived, as one deposit of the order that is named if all of it can be. Its key is that of the first transfer. */
function named(arrived: readonly DepositObservation[], orderId: OrderId | undefined): readonly DepositObservation[] {
  const [first] = arrived;
  const isOne = arrived.every((one) => one.currency === first?.currency && one.depositor === first.depositor);
  if (first === undefined || orderId === undefined || /* guard: svm-one-transfer */ !isOne) return arrived;
  return [{ ...first, amount: arrived.reduce((sum, { amount }) => sum + amount, 0n), orderId }];
}

/** The path stays the same wherever the transaction is included: its instructions are signed. */
export function fundingKey(chainId: ChainId, signature: string, path: string): FundingKey {
  return `${chainId}:${signature}:${path}`;
}

/** Lamports that are sent to a token account of the vault are none of its tokens, and pay for nothing. */
export function arrivesAt({ address, accounts }: Vault, { kind, to }: Transfer): boolean {
  return kind === 'native' ? to === address : accounts.has(to);
}

/** Whether it came to another token account in the vault's name, of a mint that is configured. */
function straysTo(
  { address, accounts }: Vault,
  { tokens }: ReadTransaction,
  { kind, to }: Transfer,
  onForeign: (mint: string) => void,
): boolean {
  const account = tokens.get(to);
  if (kind === 'native' || accounts.has(to) || account?.owner !== address) return false;
  if ([...accounts.values()].includes(account.mint)) return true;
  onForeign(account.mint);
  return false;
}

/** What arrived with each transfer, by path: with tokens, what is left of it after fees that their mint keeps. */
function arrived({ tokens }: ReadTransaction, arrivals: readonly Transfer[]): ReadonlyMap<string, bigint> {
  const amounts = new Map(arrivals.map(({ path, amount }) => [path, amount]));
  for (const account of new Set(arrivals.flatMap(({ to, kind }) => (kind === 'token' ? [to] : [])))) {
    const change = tokens.get(account);
    if (change === undefined) continue;
    const into = arrivals.filter(({ to }) => to === account);
    const sent = into.reduce((sum, { amount }) => sum + amount, 0n);
    const kept = change.after - change.before;
    if (kept === sent || sent === 0n) continue;
    // Shared out by size; what the division leaves over goes to the first, so that all is counted once.
    let rest = kept > 0n ? kept : 0n;
    for (const { path, amount } of into.slice(1)) {
      const share = kept > 0n ? (amount * kept) / sent : 0n;
      amounts.set(path, share);
      rest -= share;
    }
    const [first] = into;
    if (first !== undefined) amounts.set(first.path, rest);
  }
  return amounts;
}
