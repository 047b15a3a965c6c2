import type { ChainId, Hex, OrderId } from '../contract/ids.js';
import type { FeeClaimRow, LegRow } from '../contract/store-rows.js';
import { bytesToHex } from './hex.js';
import { keccak256 } from './keccak.js';
import { signedWord } from './signed-word.js';

export interface FeeAccount {
  /** Address of the order signer: signatures are void at another service. */
  readonly service: string;
  readonly chainId: ChainId;
  readonly wallet: string;
  readonly currency: string;
}

export interface FeeClaim extends FeeAccount {
  readonly before: bigint;
  readonly recipient: string;
  /** Smallest unit. */
  readonly amount: bigint;
}

/**
 * Fill id of an account's n-th payout, independent of the amount: a chain that fills once pays once, even if the
 * ledger lost the claim.
 *
 * @param paid number of claims paid before.
 */
export function payoutId(account: FeeAccount, paid: bigint): OrderId {
  return digest('App fee payout', [...words(account), `Paid before: ${paid}`]);
}

/** The signed id: a hash of every term of the claim. */
export function feeClaimId({ before, recipient, amount, ...account }: FeeClaim): Hex {
  return digest('App fee claim', [
    ...words(account),
    `Number: ${before}`,
    `Recipient: ${signedWord(recipient)}`,
    `Amount: ${amount}`,
  ]);
}

export function claimLegId({ chainId, wallet, currency, before }: Omit<FeeClaim, 'service' | 'recipient' | 'amount'>) {
  return `claim:${before}:${chainId}:${wallet}:${currency}`;
}

/** Wallet whose app fees a leg pays. @throws for a leg that pays none. */
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
  return [
    `Service: ${signedWord(service)}`,
    `Chain: ${chainId}`,
    `Wallet: ${signedWord(wallet)}`,
    `Currency: ${signedWord(currency)}`,
  ];
}

function digest(title: string, lines: readonly string[]): Hex {
  return bytesToHex(keccak256(new TextEncoder().encode([title, ...lines].join('\n'))));
}
