import type { Devnet } from '@causeway/core';
import { plan } from './process.js';
import { seed } from './seed.js';
import { balance, sendStep } from './wallet.js';

export const devnet: Devnet = Object.freeze({ plan, seed, sendStep, balance });

export * as artifacts from '../generated/contracts.js';
export { deployer, type TestAccount, users } from './accounts.js';
export { type Anvil, type AnvilOptions, type ReorgTransaction, startAnvil } from './anvil.js';
export { type CausewayDeployment, deployCauseway, type VenueDeployment } from './causeway.js';
export type { Funding } from './deploy.js';
export type { DeployRoles } from './plan.js';
export { RpcError } from './rpc.js';
export { type TestTokenSymbol, testTokens } from './tokens.js';
