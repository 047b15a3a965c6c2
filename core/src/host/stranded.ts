import type { ChainAdapter } from '../contract/chain-adapter.js';
import type { Logger } from '../contract/observability.js';
import type { Store } from '../contract/store.js';
import { SIGNER_CHANGED, stranded, unclaimableFees } from '../engine/index.js';
import type { Assembly } from './assemble.js';
import { ConfigError, type ConfigProblem } from './config/problems.js';
import { CORE } from './core-tokens.js';
import { CONSUMERS } from './plugins/consumers.js';

const REMEDY = 'configure it again, and run `causeway start --drain` before it is removed';
/** Only the former key can sign for its account: what it has sent may still land there, and what it holds stays there. */
const KEY_REMEDY =
  'name its key again: under `signers.former`, where its plugin has that option, so that it completes what is open while the new key fills; else in its former place, and run `causeway start --drain` before it is replaced';

/** Chains and signers that are not configured any more, and where something is left to be paid. */
export async function strandedProblems(assembly: Assembly, store: Store): Promise<readonly ConfigProblem[]> {
  const { config, container } = assembly;
  if (!config.service.roles.includes('worker')) return [];
  const chains = servedChains(container.resolve(CORE.registries).chains.takenBy(CONSUMERS.engine));
  return (await stranded({ chains, store })).map((what) =>
    config.problem(['plugins'], what, what.endsWith(SIGNER_CHANGED) ? KEY_REMEDY : REMEDY),
  );
}

/** @throws ConfigError where work would stay undone. */
export async function refuseStranded(assembly: Assembly, store: Store, log: Logger): Promise<void> {
  const problems = await strandedProblems(assembly, store);
  // guard: nothing-stranded
  if (problems.length > 0) throw new ConfigError(problems);
  const chains = servedChains(assembly.container.resolve(CORE.registries).chains.takenBy(CONSUMERS.engine));
  for (const what of await unclaimableFees({ chains, store }))
    log.warn({ what }, 'app fees cannot be claimed: their chain is not configured');
}

function servedChains(chains: readonly ChainAdapter[]): ReadonlyMap<number, ChainAdapter> {
  return new Map(chains.map((chain) => [chain.facts.id, chain]));
}
