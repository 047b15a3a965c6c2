export { deployer, type TestAccount, users } from './accounts.js';
export { type Anvil, type AnvilOptions, type ReorgTransaction, startAnvil } from './anvil.js';
export { type CausewayDeployment, deployCauseway } from './causeway.js';
export type { Funding } from './deploy.js';
export type { DeployRoles } from './plan.js';
export { RpcError } from './rpc.js';
export { type TestTokenSymbol, testTokens } from './tokens.js';
