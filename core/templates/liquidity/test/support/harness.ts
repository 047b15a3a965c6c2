import { NotWrittenError, type SwapWish } from '@causeway/core';
import { type LiquidityHarness, realClock, registerAlone } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';

const missing = (what: string) => new NotWrittenError(`harness.${what}`, 'test/support/harness.ts');

const CHAIN = 7;

/** Swaps that can be made on the chain under test, also in a sixteenth and at twice the amount: at least one for each side. */
const WISHES: readonly SwapWish[] = [
  { chainId: CHAIN, input: 'coin', output: 'token', kind: 'exactInput', amount: 1_000_000n },
  { chainId: CHAIN, input: 'coin', output: 'token', kind: 'exactOutput', amount: 1_000_000n },
];

/**
 * A chain to make swaps on. It says what the chain shows, by balances, and never asks the source for it. What the source does not do is
 * named in `lacks`, with the reason.
 */
export async function harness(): Promise<LiquidityHarness> {
  const registered = registerAlone(plugin, { chains: [CHAIN] });
  const [source] = registered.liquidity;
  if (source === undefined) throw new Error('the plugin adds no source of swaps');
  await registered.start();
  return {
    lacks: { upstream: 'pools are read from the chain, and no other source is asked' },
    source,
    otherChainId: CHAIN + 1,
    wishes: WISHES,
    impossible: { chainId: CHAIN, input: 'coin', output: 'nothing', kind: 'exactInput', amount: 1_000_000n },
    payer: 'payer',
    recipient: 'recipient',
    timeoutMs: 5_000,
    secrets: [],
    logged: registered.logged,
    pass: (ms) => realClock.sleep(ms),
    grants: (_calls) => {
      throw missing('grants: what calls allow others to take of the payer');
    },
    make: async (_wish, _calls, _parties) => {
      throw missing('make: make the calls as a fill does, and say what the chain shows of it');
    },
    dispose: () => registered.stop(),
  };
}
