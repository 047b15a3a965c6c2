import type { Address, Hex } from 'viem';
import type { EvmChainOptions } from '../options.js';
import { deployer, type TestAccount, users } from './accounts.js';
import { defaultFunding, type Funding, setUpChain } from './deploy.js';
import { contractsOf, type DeploymentPlan, type DeployRoles, planDeployment } from './plan.js';
import { rpc } from './rpc.js';
import { type TestTokenSymbol, testTokens, type VenueTokenSymbol, venueTokens } from './tokens.js';
import { NO_VENUES, type VenueArtifacts, venueArtifacts } from './venues/artifacts.js';
import { planVenues, type VenueAddresses, venueAddresses } from './venues/plan.js';
import type { PoolPrices } from './venues/pools.js';

export interface CausewayDeployment {
  readonly depository: Address;
  readonly router: Address;
  readonly swapEntry: Address;
  readonly depositAddresses: Address;
  readonly permitEntry: Address;
  readonly permit2: Address;
  readonly tokens: Readonly<Record<TestTokenSymbol, Address>>;
  readonly owner: TestAccount;
  readonly users: readonly TestAccount[];
  readonly venues?: VenueDeployment;
}

export interface VenueDeployment extends VenueAddresses {
  readonly tokens: Readonly<Record<VenueTokenSymbol, Address>>;
}

/**
 * Deploys the contracts and one token per behaviour, funds solver and users, and approves the router. The approvals
 * use nonces of the fill signer.
 *
 * @param funding Inventory other than the default.
 * @param pools Prices for Uniswap V2 and V3 pools; absent: no pools.
 */
export async function deployCauseway(
  anvil: { readonly rpcUrl: string },
  roles: DeployRoles,
  funding: Partial<Funding> = {},
  pools?: PoolPrices,
): Promise<CausewayDeployment> {
  const specs = { ...testTokens, ...(pools && venueTokens) };
  const venues = pools && planVenues(needed());
  const plan = planDeployment(roles, Object.values(specs), venues);
  const chain = await optionsOf(anvil.rpcUrl, plan);
  await setUpChain(anvil.rpcUrl, chain, plan, { ...defaultFunding, ...funding }, pools);
  const addressOf = (symbol: string) => plan.tokens.find(({ spec }) => spec.symbol === symbol)?.deployment.address;
  const addresses = <S extends string>(of: Readonly<Record<S, unknown>>) =>
    Object.fromEntries(Object.keys(of).map((symbol) => [symbol, addressOf(symbol)])) as Record<S, Address>;
  return {
    depository: plan.depository.address,
    router: plan.router.address,
    swapEntry: plan.swapEntry.address,
    depositAddresses: plan.depositAddresses.address,
    permitEntry: plan.permitEntry.address,
    permit2: plan.permit2.address,
    tokens: addresses(testTokens),
    owner: deployer,
    users,
    ...(venues && { venues: { ...venueAddresses(venues), tokens: addresses(venueTokens) } }),
  };
}

async function optionsOf(url: string, plan: DeploymentPlan): Promise<EvmChainOptions> {
  const id = Number(await rpc<Hex>(url, 'eth_chainId'));
  return {
    ...{ id, name: `chain ${id}`, displayName: `Chain ${id}`, rpc: [{ http: url }] },
    contracts: contractsOf(plan),
    currencies: plan.tokens.map(({ spec, deployment: { address } }) => ({ ...spec, address, group: spec.symbol })),
  };
}

function needed(): VenueArtifacts {
  const artifacts = venueArtifacts();
  if (artifacts === undefined) throw new Error(`no venues: ${NO_VENUES}`);
  return artifacts;
}
