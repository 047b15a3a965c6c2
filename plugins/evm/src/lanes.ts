import { EVERY_LEG, formerLanes, type LaneRef, type LegKind } from '@causeway/core';
import type { Roles } from './contracts-check.js';
import type { EvmSigners } from './evm-signers.js';

const SWEEPS: readonly LegKind[] = Object.freeze(['sweep'] as const);
const CALLS: readonly LegKind[] = Object.freeze(['call'] as const);

/** Addresses in lower case. */
export function rolesOf({ fill, allocator, sweeper, executors = [], former = [] }: EvmSigners): Roles {
  const lower = ({ address }: { readonly address: string }) => address.toLowerCase();
  return {
    fill: lower(fill),
    allocator: lower(allocator),
    ...(sweeper === undefined ? {} : { sweeper: lower(sweeper) }),
    executors: executors.map(lower),
    former: former.map(lower),
  };
}

/** @param sweeps whether the chain has deposit addresses. */
export function lanesOf({ fill, sweeper, executors, former }: Roles, sweeps: boolean): readonly LaneRef[] {
  return Object.freeze([
    { signer: fill, sends: EVERY_LEG },
    ...(sweeper === undefined || !sweeps ? [] : [{ signer: sweeper, sends: SWEEPS }]),
    ...executors.map((signer) => ({ signer, sends: CALLS })),
    ...formerLanes(former),
  ]);
}
