import type { Address } from 'viem';
import { deployer, type TestAccount, users } from './accounts.js';
import { defaultFunding, type Funding, setUpChain } from './deploy.js';
import { type DeployRoles, planDeployment } from './plan.js';
import { type TestTokenSymbol, testTokens } from './tokens.js';

export interface CausewayDeployment {
  readonly depository: Address;
  readonly router: Address;
  readonly swapEntry: Address;
  readonly tokens: Readonly<Record<TestTokenSymbol, Address>>;
  /** Owns depository and router. */
  readonly owner: TestAccount;
  /** Each holds native coin and every token. */
  readonly users: readonly TestAccount[];
}

/**
 * Deploys the contracts and one token of each behaviour on a test's chain, funds the solver and the users, and lets the
 * router spend the fill signer's tokens. The fill signer's nonce is used by its approvals.
 *
 * @param funding Inventory other than the default.
 */
export async function deployCauseway(
  anvil: { readonly rpcUrl: string },
  roles: DeployRoles,
  funding: Partial<Funding> = {},
): Promise<CausewayDeployment> {
  const symbols = Object.keys(testTokens) as TestTokenSymbol[];
  const plan = planDeployment(
    roles,
    symbols.map((symbol) => testTokens[symbol]),
  );
  await setUpChain(anvil.rpcUrl, plan, { ...defaultFunding, ...funding });
  const tokens = Object.fromEntries(symbols.map((symbol, i) => [symbol, plan.tokens[i]?.deployment.address]));
  return {
    depository: plan.depository.address,
    router: plan.router.address,
    swapEntry: plan.swapEntry.address,
    tokens: tokens as Record<TestTokenSymbol, Address>,
    owner: deployer,
    users,
  };
}
