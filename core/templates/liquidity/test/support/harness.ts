import { NotWrittenError, type SwapWish } from '@causeway/core';
import { type LiquidityHarness, realClock, registerAlone } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';

const missing = (what: string) => new NotWrittenError(`harness.${what}`, 'test/support/harness.ts');

const CHAIN = 7;

/** Swaps that the chain under test can execute, also at a sixteenth and at twice the amount. At least one for each side. */
const WISHES: readonly SwapWish[] = [
  { chainId: CHAIN, input: 'coin', output: 'token', kind: 'exactInput', amount: 1_000_000n },
  { chainId: CHAIN, input: 'coin', output: 'token', kind: 'exactOutput', amount: 1_000_000n },
];

/**
 * Controls a chain on which swaps are executed, and reports results by balances, without using the source. List abilities that the
 * source does not have in `lacks`, with the reason.
 */
export async function harness(): Promise<LiquidityHarness> {
  const registered = registerAlone(plugin, { chains: [CHAIN] });
  const [source] = registered.liquidity;
  if (source === undefined) throw new Error('the plugin adds no liquidity source');
  await registered.start();
  return {
    lacks: { upstream: 'pools are read from the chain; no external service is queried' },
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
      throw missing('grants: return the approvals that the calls contain');
    },
    make: async (_wish, _calls, _parties) => {
      throw missing('make: execute the calls as a fill does, and return the result by balances');
    },
    dispose: () => registered.stop(),
  };
}
