import { quietServices, type SetUpItem, whyIncomplete } from '@causeway/core';
import { type ChainConfig, chainConfig } from '../chain-config.js';
import type { SvmChainOptions } from '../options.js';
import { findAccounts } from '../set-up/find-accounts.js';
import { setUpWhat } from '../set-up/set-up.js';
import { type Ed25519Signer, signerOfSeed } from '../signer.js';
import { minter } from './accounts.js';

export interface Solver {
  readonly fill: Ed25519Signer;
  readonly vault: Ed25519Signer;
}

const POLL_MS = 20;
const SEED_BYTES = 32;

/**
 * The token accounts of both roles, made by the set-up of real chains and paid by the minter. Without a lookup table: the
 * local node hides deposits that load one (`devnet/README.md`).
 *
 * @param chain with addresses of currencies, all of which must exist.
 * @throws one line with what to do.
 */
export async function setUpSolver(chain: SvmChainOptions, solver: Solver): Promise<void> {
  // Side by side, since each account takes a slot; one payer may do so, as messages have no sequence here.
  await Promise.all((chain.currencies ?? []).map((one) => openAccounts({ ...chain, currencies: [one] }, solver)));
}

async function openAccounts(chain: SvmChainOptions, solver: Solver): Promise<void> {
  const why = await whyIncomplete(() => itemsOf(configOf(chain), solver));
  if (why !== undefined)
    throw new Error(`${chain.name} could not be set up (${why}): start it again, which makes a new chain`);
}

function itemsOf(config: ChainConfig, solver: Solver): AsyncIterable<SetUpItem> {
  const signers = { ...solver, byReference: () => signerOfSeed(minter.secretKey.subarray(0, SEED_BYTES)) };
  return setUpWhat(findAccounts, config, signers, quietServices, {
    ...{ payer: 'the minter', dryRun: false, signal: new AbortController().signal },
  });
}

/** Without the limits of what a service believes. */
function configOf({ quorum: _quorum, ...chain }: SvmChainOptions): ChainConfig {
  return chainConfig({ ...chain, watch: { pollMs: POLL_MS } }, 'local', 0);
}
