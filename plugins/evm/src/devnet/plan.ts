import type { Address } from 'viem';
import { CONTRACTS, type ContractName, planContracts } from '../set-up/contracts.js';
import { type Deployment, deployment } from '../set-up/create2.js';
import { deployer, type TestAccount } from './accounts.js';
import { permit2 } from './permit2.js';
import { type PlannedToken, planToken, type TokenSpec } from './tokens.js';
import type { VenuePlan } from './venues/plan.js';

export interface DeployRoles {
  readonly fillSigner: TestAccount;
  readonly allocator: Address;
  /** Absent: none is funded. */
  readonly sweeper?: Address;
  /** Absent: none is funded. */
  readonly executor?: Address;
}

type Planned = ContractName | 'permit2';

export interface DeploymentPlan extends Readonly<Record<Planned, Deployment>> {
  readonly roles: DeployRoles;
  readonly tokens: readonly PlannedToken[];
  readonly venues?: VenuePlan | undefined;
}

/** Addresses are known before deployment: they depend only on code, roles and token names. */
export function planDeployment(roles: DeployRoles, specs: readonly TokenSpec[], venues?: VenuePlan): DeploymentPlan {
  const permits = deployment(permit2, []);
  const contracts = planContracts({
    ...{ owner: deployer.address, allocator: roles.allocator },
    permit2: permits.address,
  });
  return {
    roles,
    ...contracts,
    permit2: permits,
    tokens: specs.map((spec) => planToken(spec, venues?.wrapped)),
    venues,
  };
}

/** As options name them. */
export function contractsOf(plan: DeploymentPlan): Readonly<Record<Planned, string>> {
  const named = [...CONTRACTS, 'permit2' as const].map((name) => [name, plan[name].address.toLowerCase()]);
  return Object.fromEntries(named) as Record<Planned, string>;
}
