import type { ChainId, Hex, OrderId } from '../contract/ids.js';
import type { FeeClaimRow, LegRow } from '../contract/store-rows.js';
import { bytesToHex } from './hex.js';
import { keccak256 } from './keccak.js';

/** Whose app fees, in which currency of which chain. */
export interface FeeAccount {
  /** Address of the order signer: what is signed for one service is worth nothing at another. */
  readonly service: string;
  readonly chainId: ChainId;
  /** Canonical address of the recipient of app fees. */
  readonly wallet: string;
  /** Canonical currency address. */
  readonly currency: string;
}

/** A claim as its wallet signs it. */
export interface FeeClaim extends FeeAccount {
  /** Claims of the account before this one. */
  readonly before: bigint;
  /** Canonical address on the same chain. */
  readonly recipient: string;
  /** Smallest unit. */
  readonly amount: bigint;
}

/**
 * The id under which an account is paid for the n-th time, whatever that comes to: a chain that fills an id once pays it once,
 * also where the ledger lost the claim and another one is counted in its place.
 *
 * @param paid claims of the account that were paid before.
 */
export function payoutId(account: FeeAccount, paid: bigint): OrderId {
  return digest('App fee payout', [...words(account), `Paid before: ${paid}`]);
}

/** What the wallet signs: it follows from all that the claim comes to, and differs where anything does. */
export function feeClaimId({ before, recipient, amount, ...account }: FeeClaim): Hex {
  return digest('App fee claim', [
    ...words(account),
    `Number: ${before}`,
    `Recipient: ${word(recipient)}`,
    `Amount: ${amount}`,
  ]);
}

/** Id of the leg that pays a claim; unique, so that two of one number exclude each other. */
export function claimLegId({ chainId, wallet, currency, before }: Omit<FeeClaim, 'service' | 'recipient' | 'amount'>) {
  return `claim:${before}:${chainId}:${wallet}:${currency}`;
}

/** Whose app fees a leg pays. @throws for a leg that pays none. */
export function walletOf({
  id,
  chainId,
  currency,
}: Pick<LegRow, 'id' | 'chainId' | 'currency'>): FeeClaimRow['wallet'] {
  const [, number] = /^claim:(\d+):/.exec(id) ?? [];
  const [before, after] = [`claim:${number}:${chainId}:`, `:${currency}`];
  if (number === undefined || !id.startsWith(before) || !id.endsWith(after)) throw new Error(`${id} pays no app fees`);
  return id.slice(before.length, -after.length);
}

function words({ service, chainId, wallet, currency }: FeeAccount): readonly string[] {
  return [`Service: ${word(service)}`, `Chain: ${chainId}`, `Wallet: ${word(wallet)}`, `Currency: ${word(currency)}`];
}

const WORD = /^[\x21-\x7e]+$/;

function word(value: string): string {
  if (!WORD.test(value)) throw new TypeError('what is signed for must be named by words of visible characters');
  return value;
}

function digest(title: string, lines: readonly string[]): Hex {
  return bytesToHex(keccak256(new TextEncoder().encode([title, ...lines].join('\n'))));
}
