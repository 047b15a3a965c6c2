import type { LaneRef, LegInstruction, LegKind, PotRef } from '@causeway/core';
import type { TonvmSigners } from '../signers.js';
import type { TonSigner } from '../wallet.js';

export interface Role {
  readonly signer: TonSigner;
  readonly sends: readonly LegKind[];
  readonly pot: PotRef;
  /** Of a fill signer that was replaced. */
  readonly former?: true;
}

export type Roles = ReadonlyMap<string, Role>;

const FILL_LEGS: readonly LegKind[] = ['fill'];
const VAULT_LEGS: readonly LegKind[] = ['refund', 'excess', 'collect'];
const SWEEPER_LEGS: readonly LegKind[] = ['sweep'];

/** By address. */
export function rolesOf({ fill, vault, sweeper, former = [] }: TonvmSigners): Roles {
  const lane = (signer: TonSigner) => ({ signer, pot: { pot: 'lane', owner: signer.address } }) as const;
  const roles: readonly Role[] = [
    { ...lane(fill), sends: FILL_LEGS },
    // The depository pays its own fees, only from coins owed to no deposit.
    { signer: vault, sends: VAULT_LEGS, pot: { pot: 'depository', owner: vault.address } },
    ...(sweeper ? [{ ...lane(sweeper), sends: SWEEPER_LEGS }] : []),
    ...former.map((signer) => ({ ...lane(signer), sends: FILL_LEGS, former: true as const })),
  ];
  return new Map(roles.map((role) => [role.signer.address, role]));
}

export function lanesOf(roles: Roles): readonly LaneRef[] {
  return [...roles].map(([signer, { sends, pot, former }]) => ({
    ...{ signer, sends },
    ...(pot.pot === 'depository' ? { pot: pot.pot } : {}),
    ...(former === true ? { former } : {}),
  }));
}

/** Holds gas only; what it moves is the depository's. */
export function isSweeper({ sends }: Role): boolean {
  return sends === SWEEPER_LEGS;
}

/** Everyone who may have paid such a leg, the signer of new ones first. */
export function payersOf(roles: Roles, kind: LegKind): readonly Role[] {
  const [current, ...former] = [...roles.values()].filter(({ sends }) => sends.includes(kind));
  if (current === undefined) throw new Error(`no lane of this chain sends a ${kind}`);
  return [current, /* guard: ton-former-sent */ ...former];
}

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
