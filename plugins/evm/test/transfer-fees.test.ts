import type { Hex } from '@causeway/core';
import fc from 'fast-check';
import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { erc20Abi } from '../src/abi.js';
import { sentFor } from '../src/transfer-fees.js';
import { testClient, wallet } from './support/wallet.js';
import { chainOptions, FILL_KEY, fillSigner, startAdapter, startWorld, type World } from './support/world.js';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.anvil.stop());

const PAYER = `0x${'5a4b'.repeat(10)}`;
/** No fee in hundredths is a whole number of it. */
const ODD = 989_999n;
const ORDER: Hex = `0x${'ab'.repeat(32)}`;

function asked(adapter: Awaited<ReturnType<typeof startAdapter>>['adapter'], currency: string): bigint[] {
  const steps = adapter.depositSteps({
    payer: PAYER,
    currency: currency.toLowerCase(),
    amount: 990_000n,
    orderId: ORDER,
  });
  const words = steps.map(({ items }) => String(items[0]?.data['data']).slice(10));
  return words.map((word, n) => BigInt(`0x${n === 0 ? word.slice(64, 128) : word.slice(128, 192)}`));
}

it('says what arrives of a token that charges a fee on transfer, takes the amount itself from its payer, and pays nothing out in it', async () => {
  const { FEE, USDC } = world.deployed.tokens;
  const { adapter } = await startAdapter(chainOptions(world));
  try {
    // The fee is rounded down: 9,999 units of both 999,999 and 999,998.
    const fee = adapter.transferFee(FEE.toLowerCase());
    expect([fee?.sentFor(990_000n), fee?.sentFor(ODD)]).toEqual([999_999n, 999_998n]);
    expect([fee?.arriving(999_999n), fee?.arriving(999_998n)]).toEqual([990_000n, ODD]);
    expect(adapter.transferFee(USDC.toLowerCase())).toBeUndefined();
    expect(asked(adapter, FEE)).toEqual([990_000n, 990_000n]);
    const wish = { amount: 1_000_000n, recipient: PAYER };
    const message = expect.stringMatching(/FEE keeps a part/);
    expect(adapter.refuseFill({ ...wish, currency: FEE.toLowerCase() })).toEqual({ why: 'currency', message });
    expect(adapter.refuseFill({ ...wish, currency: USDC.toLowerCase() })).toBeUndefined();
    expect(adapter.legCost('collect', FEE.toLowerCase())).toMatchObject({ transferFeeBps: 100 });
    expect(adapter.legCost('collect', USDC.toLowerCase())).not.toHaveProperty('transferFeeBps');
  } finally {
    await adapter.stop();
  }
});

it('goes by the options where they say it, and by neither where it cannot be tried', async () => {
  const { FEE } = world.deployed.tokens;
  const options = chainOptions(world);
  const stated = options.currencies?.map((token) =>
    token.symbol === 'FEE' ? { ...token, transferFeeBps: 200 } : token,
  );
  const { adapter } = await startAdapter({ ...options, currencies: stated ?? [] });
  expect(adapter.legCost('collect', FEE.toLowerCase())).toMatchObject({ transferFeeBps: 200 });
  await adapter.stop();

  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [world.deployed.router, 0n] });
  const owner = { address: fillSigner.address as Hex, privateKey: FILL_KEY };
  const hash = await wallet(world.anvil, owner).sendTransaction({ to: FEE, data, gas: 200_000n });
  await testClient(world.anvil).waitForTransactionReceipt({ hash, pollingInterval: 20 });
  const later = await startAdapter(options);
  expect(later.adapter.transferFee(FEE.toLowerCase())).toBeUndefined();
  await later.adapter.stop();
});

it('sends the least that lets the amount arrive, however a token rounds', () => {
  const parts = fc.record({ bps: fc.integer({ min: 0, max: 9_999 }), up: fc.boolean() });
  fc.assert(
    fc.property(parts, fc.bigInt({ min: 1n, max: 10n ** 24n }), ({ bps, up }, arriving) => {
      const sent = sentFor(arriving, { bps, up });
      const kept = (of: bigint) => (of * BigInt(bps) + (up ? 9_999n : 0n)) / 10_000n;
      expect(sent - kept(sent)).toBe(arriving);
      expect(sent - 1n - kept(sent - 1n)).toBeLessThan(arriving);
    }),
  );
});
