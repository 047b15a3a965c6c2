import { type Devnet, type DevnetChainPlan, NotWrittenError } from '@causeway/core';
import type { ChainOptions, Options } from './options.js';

const missing = (what: string) => new NotWrittenError(`devnet.${what}`, 'src/devnet.ts');

/** Chains whose only node is called so are local: `causeway dev` starts one, and puts its address there. */
const LOCAL = 'devnet';

const localChains = (options: unknown): readonly ChainOptions[] =>
  (options as Options).chains.filter(({ nodes }) => nodes[0] === LOCAL);

/** Which process to start for a chain, at which port, and when it answers. */
function planOf(_chain: ChainOptions): DevnetChainPlan {
  throw missing('plan: the command of a node for each local chain, and how it is known to be ready');
}

/** Local chains of this family, for `causeway dev` and `causeway demo`. */
export const devnet: Devnet = Object.freeze<Devnet>({
  plan: (options) => localChains(options).map(planOf),
  seed: async () => {
    throw missing('seed: fund the solver and some users, once; the options with the nodes that were started');
  },
  sendStep: async () => {
    throw missing('sendStep: sign and send one item of a step as a wallet does, and wait until it is in a block');
  },
  balance: async () => {
    throw missing('balance: what an account holds, from the chain');
  },
});
