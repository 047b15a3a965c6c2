import type { Address } from 'viem';
import { type Deployment, deployment } from '../../set-up/create2.js';
import { deployer } from '../accounts.js';
import { VENUE_CONTRACTS, type VenueArtifacts, type VenueContract } from './artifacts.js';

export type VenuePlan = Readonly<Record<VenueContract, Deployment>>;

export type VenueAddresses = Readonly<Record<VenueContract, Address>>;

export function planVenues(artifacts: VenueArtifacts): VenuePlan {
  const wrapped = deployment(artifacts.wrapped, []);
  const pairFactory = deployment(artifacts.pairFactory, [deployer.address]);
  const poolFactory = deployment(artifacts.poolFactory, []);
  const [w, pairs, pools] = [wrapped.address, pairFactory.address, poolFactory.address];
  return {
    wrapped,
    pairFactory,
    pairRouter: deployment(artifacts.pairRouter, [pairs, w]),
    poolFactory,
    positions: deployment(artifacts.positions, [pools, w, w]),
    swapRouter: deployment(artifacts.swapRouter, [pools, w]),
    quoter: deployment(artifacts.quoter, [pools, w]),
  };
}

export function venueAddresses(plan: VenuePlan): VenueAddresses {
  return Object.fromEntries(VENUE_CONTRACTS.map((name) => [name, plan[name].address])) as VenueAddresses;
}
