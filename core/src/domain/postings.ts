import type { ChainId, RequestId, UnixMs } from '../contract/ids.js';
import type { FeeClaimRow, OwedKind, PostingRow } from '../contract/store-rows.js';
import { account } from './accounts.js';

interface PostingMeta {
  readonly groupId: string;
  readonly requestId: RequestId | null;
  readonly legId: string | null;
  readonly createdAt: UnixMs;
}

/** Positive is an asset or an expense, negative what is owed or earned; smallest unit. */
export type Line = readonly [account: string, amount: bigint];

/** Rows for the lines that are not zero. Throws when they do not sum to zero: that is a bug, never an outcome. */
function rows(meta: PostingMeta, lines: readonly Line[]): PostingRow[] {
  const sum = lines.reduce((total, [, amount]) => total + amount, 0n);
  if (sum !== 0n) throw new Error(`posting ${meta.groupId} does not balance: ${sum}`);
  const merged = new Map<string, bigint>();
  for (const [name, amount] of lines) merged.set(name, (merged.get(name) ?? 0n) + amount);
  return [...merged]
    .filter(([, amount]) => amount !== 0n)
    .map(([name, amount]) => ({ ...meta, account: name, amount }));
}

/** A deposit came (`sign` 1) or vanished (-1): the depository holds it and we owe it. */
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

/** What a pot holds without a transfer of ours: its opening balance, what came in from outside, or what nobody claims. */
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
 * A fee that a payer paid to the solver with an execution of its own, once that is final. The lane that got it counts it as all that
 * comes from outside, before or after this: so it is taken from there, and no pot moves.
 *
 * @param shares of integrators.
 */
export function ownFeePosting(
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

/** The user's part of a deposit becomes a named hold (`sign` 1) or is released from it (-1). */
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

/** What was claimed, and whose it is. */
type Claimed = Pick<FeeClaimRow, 'chainId' | 'wallet' | 'currency' | 'amount'>;

/** App fees become a claim on its way. */
export function claimPosting(meta: PostingMeta, { chainId, wallet, currency, amount }: Claimed): PostingRow[] {
  return rows(meta, [
    [account.appFees(chainId, wallet, currency), amount],
    [account.claims(chainId, currency), -amount],
  ]);
}

/** A claim took more than was taken for it off what is owed to its wallet; less where negative. */
export function claimDifferencePosting(
  meta: PostingMeta,
  { chainId, wallet, currency, amount }: Claimed,
): PostingRow[] {
  return rows(meta, [
    [account.appFees(chainId, wallet, currency), amount],
    [account.earned(chainId, currency), -amount],
  ]);
}

/** A claim comes to nothing: it is owed as app fees again, less what trying to pay it cost. */
export function abandonedClaimPosting(meta: PostingMeta, claimed: Claimed, cost: bigint): PostingRow[] {
  const { chainId, wallet, currency, amount } = claimed;
  return rows(meta, [
    [account.claims(chainId, currency), amount],
    [account.appFees(chainId, wallet, currency), cost - amount],
    [account.earned(chainId, currency), -cost],
  ]);
}

/** Network fee of an included transaction, whatever it achieved, out of the pot that paid it. */
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

/** One movement as the chain proves it, JSON-safe so that a reorg can reverse exactly what was posted. */
export interface MovementFact {
  readonly legId: string;
  readonly requestId: RequestId | null;
  readonly kind: OwedKind;
  readonly chainId: ChainId;
  readonly signer: string;
  readonly currency: string;
  /** What left the source pot. */
  readonly moved: string;
  /** Of a collection: what of that came to the lane. Absent: all of it. */
  readonly arrived?: string;
  /** Of a collection: signer of the lane that it came to. Absent: the lane that sent it. */
  readonly to?: string;
  /** Of a payment back: what left its depository beside that, to the lane that paid the fee. Absent: nothing. */
  readonly withheld?: string;
  /** The part of the deposit this movement settles, and where that deposit is. */
  readonly covers: string;
  readonly originChainId: ChainId;
  readonly originCurrency: string;
  /** Of a fill: parts of `covers` that are owed to integrators. */
  readonly appFees?: readonly { readonly recipient: string; readonly amount: string }[];
}

/** What one movement posts, each list balanced by itself. */
export type MovementLines = (fact: MovementFact) => readonly (readonly Line[])[];

/** Rows of one movement, or of their reversal. */
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
