import type { Address } from 'viem';
import { depositAddresses, depository, fillRouter, swapEntry } from '../generated/contracts.js';
import { deployer } from './accounts.js';
import { type Deployment, deployment } from './create2.js';
import { type PlannedToken, planToken, type TokenSpec } from './tokens.js';
import type { VenuePlan } from './venues/plan.js';

export interface DeployRoles {
  readonly fillSigner: Address;
  readonly allocator: Address;
  /** Absent: none is funded. */
  readonly sweeper?: Address;
  /** Absent: none is funded. */
  readonly executor?: Address;
}

export interface DeploymentPlan {
  readonly roles: DeployRoles;
  readonly depository: Deployment;
  readonly router: Deployment;
  readonly swapEntry: Deployment;
  readonly depositAddresses: Deployment;
  readonly tokens: readonly PlannedToken[];
  readonly venues?: VenuePlan | undefined;
}

/** Addresses are known before deployment: they depend only on code, roles and token names. */
export function planDeployment(roles: DeployRoles, specs: readonly TokenSpec[], venues?: VenuePlan): DeploymentPlan {
  const house = deployment(depository, [deployer.address, roles.allocator]);
  return {
    roles,
    depository: house,
    router: deployment(fillRouter, [deployer.address]),
    swapEntry: deployment(swapEntry, [house.address]),
    depositAddresses: deployment(depositAddresses, [house.address]),
    tokens: specs.map((spec) => planToken(spec, venues?.wrapped)),
    venues,
  };
}
