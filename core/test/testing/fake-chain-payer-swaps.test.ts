import { describe, expect, it } from 'vitest';
import type { PayerSwap } from '../../src/contract/index.js';
import { fakeAddress } from '../../src/testing/fake-chain/cheap-hash.js';
import { poolSource } from '../../src/testing/fake-chain/pool-source.js';
import { orderId } from '../../src/testing/store-fixtures.js';
import { follow, RECIPIENT, scene, USER } from './support/fake-scene.js';

const SOLVER = fakeAddress('solver of fees');

async function world() {
  const tokens = [
    { symbol: 'USDF', decimals: 6 },
    { symbol: 'GOV', decimals: 6 },
  ];
  const sides = [
    { symbol: 'USDF', holds: 1_000_000n },
    { symbol: 'GOV', holds: 1_000_000n },
  ] as const;
  const made = await scene('nonce', { tokens, pools: [sides], payerSwaps: true, finalityDepth: 3 });
  const { chain, adapter } = made;
  const { payerSwaps } = adapter.capabilities;
  if (payerSwaps === undefined) throw new Error('no own swaps');
  const swap = (n: number, over: Partial<PayerSwap> = {}): PayerSwap => ({
    ...{ orderId: orderId(n), payer: USER, recipient: RECIPIENT, input: chain.currencyOf('USDF'), amountIn: 1_000n },
    ...{ output: chain.currencyOf('USDF'), least: 990n, deadline: 2_000_000_000, calls: [] },
    fee: { to: SOLVER, amount: 10n },
    ...over,
  });
  const executes = (one: PayerSwap) => chain.pay(payerSwaps.steps(one)).hash;
  return { ...made, swap, executes, payerSwaps };
}

describe('what users execute on a fake chain', () => {
  it('pays the fee and the rest, and is reported in the block that has it', async () => {
    const made = await world();
    const { chain, swap, executes, mine } = made;
    const { batches } = follow(made);
    await mine();
    executes(swap(1));
    await mine();
    expect([chain.balance(SOLVER, 'USDF'), chain.balance(RECIPIENT, 'USDF')]).toEqual([10n, 990n]);
    const reported = batches.flatMap(({ executions = [] }) => executions);
    expect(reported).toMatchObject([
      {
        orderId: orderId(1),
        payer: USER,
        recipient: RECIPIENT,
        amountIn: 1_000n,
        amountOut: 990n,
        fee: 10n,
        feeTo: SOLVER,
      },
    ]);
    chain.reorg(1, { drop: 'all', length: 2 });
    await mine();
    expect(chain.history().executions).toEqual([]);
    expect(batches.some(({ rewoundTo }) => rewoundTo !== undefined)).toBe(true);
  });

  it('exchanges in a pool, and leaves what that does not take to its payer', async () => {
    const { chain, swap, executes, mine, payerSwaps, adapter } = await world();
    const [input, output] = [chain.currencyOf('USDF'), chain.currencyOf('GOV')];
    const source = poolSource([chain]);
    const wish = { chainId: chain.id, input, output, kind: 'exactOutput', amount: 500n } as const;
    const quoted = await source.quote(wish, new AbortController().signal);
    const quote = quoted.ok ? quoted.quotes[0] : undefined;
    if (quote === undefined) throw new Error('no quote');
    const parties = { payer: payerSwaps.account(orderId(2), USER), recipient: RECIPIENT, limit: 500n };
    const calls = source.calls(wish, quote, parties);
    chain.fund(USER, 'USDF', 2_000n);
    executes(swap(2, { output, least: 500n, calls }));
    await mine();
    expect(chain.balance(RECIPIENT, 'GOV')).toBeGreaterThanOrEqual(500n);
    expect(chain.history().executions).toMatchObject([{ amountIn: quote.amountIn + 10n }]);
    expect(chain.balance(USER, 'USDF')).toBe(2_000n - quote.amountIn - 10n);
    expect(payerSwaps.cost({ input, work: 0n })?.native).toBeGreaterThan(0n);
    expect(await adapter.revertedExecution?.(`0x${'1'.repeat(64)}`)).toBeUndefined();
  });

  it('moves nothing where less than the least would come, and shows that it reverted', async () => {
    const { chain, adapter, swap, executes, mine } = await world();
    const hash = executes(swap(3, { least: 991n }));
    await mine();
    expect([chain.balance(SOLVER, 'USDF'), chain.history().executions]).toEqual([0n, []]);
    expect(await adapter.revertedExecution?.(hash)).toMatchObject({ orderId: orderId(3), payer: USER, final: false });
    await mine(4);
    expect(await adapter.revertedExecution?.(hash)).toMatchObject({ final: true });
  });
});
