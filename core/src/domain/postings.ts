import type { ChainId, RequestId, UnixMs } from '../contract/ids.js';
import type { FeeClaimRow, OwedKind, PostingRow } from '../contract/store-rows.js';
import { account } from './accounts.js';

export interface PostingMeta {
  readonly groupId: string;
  readonly requestId: RequestId | null;
  readonly legId: string | null;
  readonly createdAt: UnixMs;
}

/** Positive: asset or expense; negative: liability or income; smallest unit. */
export type Line = readonly [account: string, amount: bigint];

/** @throws on lines that do not sum to zero. */
export function rows(meta: PostingMeta, lines: readonly Line[]): PostingRow[] {
  const sum = lines.reduce((total, [, amount]) => total + amount, 0n);
  if (sum !== 0n) throw new Error(`posting ${meta.groupId} does not balance: ${sum}`);
  const merged = new Map<string, bigint>();
  for (const [name, amount] of lines) merged.set(name, (merged.get(name) ?? 0n) + amount);
  return [...merged]
    .filter(([, amount]) => amount !== 0n)
    .map(([name, amount]) => ({ ...meta, account: name, amount }));
}

/** A deposit arrived (`sign` 1) or vanished (-1): depository asset against liability. */
export function depositPosting(
  meta: PostingMeta,
  deposit: { readonly chainId: ChainId; readonly currency: string; readonly amount: bigint },
  sign: 1n | -1n,
): PostingRow[] {
  const { chainId, currency } = deposit;
  return rows(meta, [
    [account.depository(chainId, currency), sign * deposit.amount],
    [account.owed(chainId, currency), -sign * deposit.amount],
  ]);
}

export function equityPosting(
  meta: PostingMeta,
  pot: string,
  equity: 'opening' | 'inflow' | 'unclaimed',
  chainId: ChainId,
  currency: string,
  amount: bigint,
): PostingRow[] {
  return rows(meta, [
    [pot, amount],
    [account[equity](chainId, currency), -amount],
  ]);
}

/**
 * A fee from a payer's own execution. The lane's balance change is booked as external anyway, so this posts against
 * `inflow` and moves no pot.
 *
 * @param shares of integrators.
 */
export function payerSwapFeePosting(
  meta: PostingMeta,
  chainId: ChainId,
  currency: string,
  fee: bigint,
  shares: readonly { readonly recipient: string; readonly amount: bigint }[],
): PostingRow[] {
  const app = shares.reduce((sum, { amount }) => sum + amount, 0n);
  return rows(meta, [
    [account.inflow(chainId, currency), fee],
    ...shares.map(({ recipient, amount }): Line => [account.appFees(chainId, recipient, currency), -amount]),
    [account.earned(chainId, currency), app - fee],
  ]);
}

export function holdPosting(
  meta: PostingMeta,
  chainId: ChainId,
  currency: string,
  amount: bigint,
  sign: 1n | -1n,
): PostingRow[] {
  return rows(meta, [
    [account.owed(chainId, currency), sign * amount],
    [account.held(chainId, currency), -sign * amount],
  ]);
}

type Claimed = Pick<FeeClaimRow, 'chainId' | 'wallet' | 'currency' | 'amount'>;

export function claimPosting(meta: PostingMeta, { chainId, wallet, currency, amount }: Claimed): PostingRow[] {
  return rows(meta, [
    [account.appFees(chainId, wallet, currency), amount],
    [account.claims(chainId, currency), -amount],
  ]);
}

/** A payout cost more than was deducted from the wallet's balance; negative: less. */
export function claimDifferencePosting(
  meta: PostingMeta,
  { chainId, wallet, currency, amount }: Claimed,
): PostingRow[] {
  return rows(meta, [
    [account.appFees(chainId, wallet, currency), amount],
    [account.earned(chainId, currency), -amount],
  ]);
}

/** A claim failed: owed as app fees again, less the cost of the attempts. */
export function abandonedClaimPosting(meta: PostingMeta, claimed: Claimed, cost: bigint): PostingRow[] {
  const { chainId, wallet, currency, amount } = claimed;
  return rows(meta, [
    [account.claims(chainId, currency), amount],
    [account.appFees(chainId, wallet, currency), cost - amount],
    [account.earned(chainId, currency), -cost],
  ]);
}

export function gasPosting(
  meta: PostingMeta,
  chainId: ChainId,
  pot: string,
  native: string,
  fee: bigint,
  sign: 1n | -1n,
): PostingRow[] {
  return rows(meta, [
    [pot, -sign * fee],
    [account.gas(chainId, native), sign * fee],
  ]);
}

/** One proven movement, JSON-safe so that a reorg reverses exactly what was posted. */
export interface MovementFact {
  readonly legId: string;
  readonly requestId: RequestId | null;
  readonly kind: OwedKind;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly currency: string;
  readonly moved: string;
  /** Collect: part that reached the lane. Absent: all. */
  readonly arrived?: string;
  /** Collect: signer of the receiving lane. Absent: the sending lane. */
  readonly to?: string;
  /** Refund: additionally left the depository, to the lane that paid the fee. Absent: nothing. */
  readonly withheld?: string;
  /** Part of the deposit that this settles, and the deposit's chain and currency. */
  readonly covers: string;
  readonly originChainId: ChainId;
  readonly originCurrency: string;
  readonly appFees?: readonly { readonly recipient: string; readonly amount: string }[];
}

export type MovementLines = (fact: MovementFact) => readonly (readonly Line[])[];

export function movementPosting(
  groupId: string,
  fact: MovementFact,
  lines: MovementLines,
  createdAt: UnixMs,
  sign: 1n | -1n,
): PostingRow[] {
  const meta = { groupId: `${groupId}:${fact.legId}`, requestId: fact.requestId, legId: fact.legId, createdAt };
  return lines(fact).flatMap((some) =>
    rows(
      meta,
      some.map(([name, amount]): Line => [name, sign * amount]),
    ),
  );
}
