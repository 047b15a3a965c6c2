import type { LegInstruction, LegKind, PotRef } from '@causeway/core';
import type { TonSigner } from '../wallet.js';

export interface Role {
  readonly signer: TonSigner;
  readonly sends: readonly LegKind[];
  readonly pot: PotRef;
}

export type Roles = ReadonlyMap<string, Role>;

/** A refund from the fill wallet would use inventory for the depository's debt, and leave the deposit behind. */
export function roleFor(roles: Roles, signer: string, legs: readonly { readonly leg: LegInstruction }[] = []): Role {
  const role = roles.get(signer);
  if (role === undefined) throw new Error('no lane of this chain has this signer');
  for (const { leg } of legs)
    if (!role.sends.includes(leg.kind)) throw new Error(`${signer} is not the wallet that pays a ${leg.kind}`);
  return role;
}

/** A wallet's seqno is single-use: two orders with one seqno can never both take effect. */
export function writeKey(signer: string, seqno: number): string {
  return `${signer}:${seqno}`;
}

export function seqnoOfKey(key: string): number {
  return Number(key.slice(key.lastIndexOf(':') + 1));
}
