import { type Devnet, type DevnetChainPlan, NotWrittenError } from '@causeway/core';
import type { ChainOptions, Options } from './options.js';

const missing = (what: string) => new NotWrittenError(`devnet.${what}`, 'src/devnet.ts');

/** A chain with this value in `nodes` is local: `causeway dev` starts its node and replaces the value by the node's URL. */
const LOCAL = 'devnet';

const localChains = (options: unknown): readonly ChainOptions[] =>
  (options as Options).chains.filter(({ nodes }) => nodes[0] === LOCAL);

/** The node process of a chain, its port, and how to detect that it is ready. */
function planOf(_chain: ChainOptions): DevnetChainPlan {
  throw missing('plan: return the command of the node process, its port, and how to detect that it is ready');
}

/** Runs local chains of this family for `causeway dev` and `causeway demo`. */
export const devnet: Devnet = Object.freeze<Devnet>({
  plan: (options) => localChains(options).map(planOf),
  seed: async () => {
    throw missing(
      'seed: fund the solver and about eight users (idempotent); return the options with the URLs of the started nodes',
    );
  },
  sendStep: async () => {
    throw missing(
      'sendStep: sign and send one step item as a wallet does; resolve with the hash once it is in a block',
    );
  },
  balance: async () => {
    throw missing('balance: return the balance of an account, read from the chain, in smallest units');
  },
});
