import { type Hex, quietServices, type SetUpItem, whyIncomplete } from '@causeway/core';
import { privateKeyToAccount } from 'viem/accounts';
import { type ChainConfig, chainConfig } from '../chain-config.js';
import type { EvmChainOptions } from '../options.js';
import { setUp } from '../set-up/set-up.js';
import type { RemoteAccount } from '../signed-transaction.js';
import { deployer, type TestAccount } from './accounts.js';
import { automined } from './automined.js';
import type { DeployRoles } from './plan.js';

/** Poll interval for a receipt, which a local node has within milliseconds. */
const POLL_MS = 2;
const PAYER = 'the deployer';

type Roles = Pick<DeployRoles, 'fillSigner' | 'allocator'>;

/**
 * Runs the set-up of real chains on a local one. Tokens, Permit2 and the coins of the fill signer must be
 * there before.
 *
 * @param chain with the addresses of all contracts and currencies.
 * @throws one line with what to do.
 */
export async function setUpSolver(url: string, chain: EvmChainOptions, roles: Roles): Promise<void> {
  const config = configOf(chain);
  const why = await automined(url, () => whyIncomplete(() => itemsOf(config, roles))).catch((error: unknown) =>
    error instanceof Error ? error.message : String(error),
  );
  if (why !== undefined)
    throw new Error(
      `${chain.name} could not be set up (${why}): start it again, and if that fails too, with --reset, which makes new chains`,
    );
}

function itemsOf(config: ChainConfig, { fillSigner, allocator }: Roles): AsyncIterable<SetUpItem> {
  const roles = { fill: fillSigner.address.toLowerCase(), allocator: allocator.toLowerCase() };
  const keys = { fill: signerOf(fillSigner), byReference: () => signerOf(deployer) };
  return setUp(config, roles, keys, quietServices, {
    ...{ payer: PAYER, dryRun: false, signal: new AbortController().signal },
  });
}

/** Without gas limits and quorum, which concern only a running service. */
function configOf({ gas: _gas, quorum: _quorum, ...chain }: EvmChainOptions): ChainConfig {
  const owner = deployer.address;
  return chainConfig({ ...chain, watch: { pollMs: POLL_MS } }, 'local', 0, undefined, { owner });
}

function signerOf({ address, privateKey }: TestAccount): RemoteAccount {
  const account = privateKeyToAccount(privateKey);
  return { address, signTransaction: (transaction) => account.signTransaction(transaction) as Promise<Hex> };
}
