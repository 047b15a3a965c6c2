import type { LegInstruction, LegKind, PotRef } from '@causeway/core';
import type { TonSigner } from '../wallet.js';

/** One of our wallets, and where money that leaves it is booked. */
export interface Role {
  readonly signer: TonSigner;
  /** Kinds of legs that leave this wallet, and no other. */
  readonly sends: readonly LegKind[];
  /** The pot that pays its fees. */
  readonly pot: PotRef;
}

/** Our wallets by their canonical address. */
export type Roles = ReadonlyMap<string, Role>;

/** A refund that the fill wallet paid would take inventory for what the depository owes, and leave the deposit behind. */
export function roleFor(roles: Roles, signer: string, legs: readonly { readonly leg: LegInstruction }[] = []): Role {
  const role = roles.get(signer);
  if (role === undefined) throw new Error('no lane of this chain has this signer');
  for (const { leg } of legs)
    if (!role.sends.includes(leg.kind)) throw new Error(`${signer} is not the wallet that pays a ${leg.kind}`);
  return role;
}

/** A single-use key is a number of a wallet: two orders of one number can never both take effect. */
export function writeKey(signer: string, seqno: number): string {
  return `${signer}:${seqno}`;
}

export function seqnoOfKey(key: string): number {
  return Number(key.slice(key.lastIndexOf(':') + 1));
}
