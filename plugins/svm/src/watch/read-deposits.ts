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
import { depositorOf, unknownDepositor } from '../depositor.js';
import type { ReadTransaction } from '../transactions/read.js';
import { memosOf, type Transfer, transfersOf } from '../transactions/transfers.js';
import { type Remainder, remaindersOf } from './remainders.js';

export interface Vault {
  readonly chainId: ChainId;
  /** Takes the native coin. */
  readonly address: string;
  /** Its associated accounts of configured tokens: mints by account. */
  readonly accounts: ReadonlyMap<string, string>;
  /** Solver accounts, whose payments are no deposits. Absent: none. */
  readonly own?: ReadonlySet<string>;
  /** Pays for sweeps, whose transfers are no deposits. Absent: none. */
  readonly sweeper?: string;
}

/**
 * An order is named where the memos contain exactly one id. The transfers are one deposit of that order if they share
 * currency and depositor; otherwise each is one. The solver's own transfers are no deposits.
 *
 * What arrived by no transfer is a deposit of its own, of no known depositor. It is of the named order only if it is
 * all that arrived: so it never keeps a transfer from its order.
 *
 * Invariant: deposits arrive at the vault's address and its associated accounts, which books and collects use. Anyone
 * can open other token accounts for the vault: what arrives there is `stray`, and funds nothing.
 *
 * @param onForeign receives the mints of unconfigured tokens.
 * @throws TransportError where a transfer to an associated account lacks the balances.
 */
export function readDeposits(
  vault: Vault,
  transaction: ReadTransaction,
  state: 'included' | 'final',
  block: BlockRef,
  onForeign: (mint: string) => void = () => undefined,
): readonly DepositObservation[] {
  if (!transaction.ok || isSweep(vault, transaction)) return [];
  const transfers = transfersOf(transaction).filter(
    (each) =>
      each.from !== each.to &&
      /* guard: svm-depositors-money-deposits */ vault.own?.has(depositorOf(transaction, each)) !== true,
  );
  const arrivals = transfers.filter((each) => arrivesAt(vault, each));
  const strays = transfers.filter((each) => straysTo(vault, transaction, each, onForeign));
  const amounts = arrived(transaction, [...arrivals, ...strays]);
  const observation = (key: string, terms: Pick<DepositObservation, 'currency' | 'amount' | 'depositor'>) => ({
    fundingKey: fundingKey(vault.chainId, transaction.signature, key),
    chainId: vault.chainId,
    transactionHash: transaction.signature,
    ...terms,
    orderId: null,
    depositAddress: null,
    state,
    block,
  });
  const observed = (transfer: Transfer): readonly DepositObservation[] => {
    const amount = amounts.get(transfer.path) ?? 0n;
    if (amount === 0n) return [];
    const currency = transfer.kind === 'token' ? transaction.tokens.get(transfer.to)?.mint : NATIVE;
    if (currency === undefined) {
      throw new TransportError(`${transaction.signature} contains no balance of ${transfer.to}`, 'malformed');
    }
    return [observation(transfer.path, { currency, amount, depositor: depositorOf(transaction, transfer) })];
  };
  const left = ({ account, currency, amount }: Remainder): DepositObservation =>
    observation(remainderOf(account), { currency, amount, depositor: unknownDepositor(transaction) });
  const remainders = remaindersOf(vault, transaction);
  const orderId = onlyOrderId(memosOf(transaction));
  const sent = arrivals.flatMap(observed);
  const rest = remainders.filter(({ stray }) => !stray).map(left);
  const others = [...strays.flatMap(observed), ...remainders.filter(({ stray }) => stray).map(left)];
  return [
    ...named(sent, orderId),
    ...(sent.length === 0 ? named(rest, orderId) : rest),
    ...others.map((one) => ({ ...one, stray: true as const })),
  ];
}

/** Only the solver's key makes it the payer. */
export function isSweep({ sweeper }: Pick<Vault, 'sweeper'>, { payer }: Pick<ReadTransaction, 'payer'>): boolean {
  return sweeper !== undefined && /* guard: svm-sweeps-are-no-deposits */ payer === sweeper;
}

/** Deposits of the named order: one if possible, with the key of the first transfer. */
function named(arrived: readonly DepositObservation[], orderId: OrderId | undefined): readonly DepositObservation[] {
  const [first] = arrived;
  const isOne = arrived.every((one) => one.currency === first?.currency && one.depositor === first.depositor);
  if (first === undefined || orderId === undefined) return arrived;
  if (/* guard: svm-one-transfer */ !isOne) return arrived.map((one) => ({ ...one, orderId }));
  return [{ ...first, amount: arrived.reduce((sum, { amount }) => sum + amount, 0n), orderId }];
}

/** Path and account are the same after a reorg: the instructions are signed. */
export function fundingKey(chainId: ChainId, signature: string, key: string): FundingKey {
  return `${chainId}:${signature}:${key}`;
}

/** Differs from every path, and from the keys of deposit addresses, which end in the account alone. */
function remainderOf(account: string): string {
  return `rest:${account}`;
}

/** Lamports sent to a token account are no tokens, and pay for nothing. */
export function arrivesAt({ address, accounts }: Vault, { kind, to }: Transfer): boolean {
  return kind === 'native' ? to === address : accounts.has(to);
}

/** Another token account of the vault, of a configured mint. */
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

/** Received amounts by path: with tokens, after transfer fees. Never more than was sent. */
function arrived({ tokens }: ReadTransaction, arrivals: readonly Transfer[]): ReadonlyMap<string, bigint> {
  const amounts = new Map(arrivals.map(({ path, amount }) => [path, amount]));
  for (const account of new Set(arrivals.flatMap(({ to, kind }) => (kind === 'token' ? [to] : [])))) {
    const change = tokens.get(account);
    if (change === undefined) continue;
    const into = arrivals.filter(({ to }) => to === account);
    const sent = into.reduce((sum, { amount }) => sum + amount, 0n);
    const kept = change.after - change.before;
    if (/* guard: svm-paid-by-transfer */ kept >= sent) continue;
    // Shared by size; the first gets the remainder, so that the sum is exact.
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
