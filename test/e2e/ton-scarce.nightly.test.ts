import { setTimeout as pause } from 'node:timers/promises';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { devnet as ton } from '@causeway/plugin-tonvm/devnet';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountOf, LocalBuild, type LocalSide } from '../support/local-build.js';
import { endAll } from '../support/service.js';

/** A TON provider with one request per second, as the public service without a key. */
let build: LocalBuild;
let here: LocalSide;
let there: LocalSide;

const IDLE_MS = 30_000;
const MAX_MS = 90_000;

interface Asked {
  readonly asked: Readonly<Record<string, number>>;
  readonly refused: number;
}

async function asked(): Promise<Asked & { readonly total: number }> {
  const response = await fetch(new URL('/dev/asked', here.chain.rpcUrl), { method: 'POST' });
  const reported = (await response.json()) as Asked;
  return { ...reported, total: Object.values(reported.asked).reduce((sum, count) => sum + count, 0) };
}

/** @returns the payer's cost, and the requests meanwhile. */
async function order(
  from: LocalSide,
  to: LocalSide,
  n: number,
  wish: { input: string; output: string; amount: bigint },
) {
  const way = { from, to, payer: accountOf(from, n), recipient: accountOf(to, n).address };
  const { quote, requestId } = await build.quote({ ...way, ...wish });
  await asked();
  const began = performance.now();
  await from.pay(way.payer, quote);
  await build.ends(requestId, 'success', MAX_MS);
  return { ms: performance.now() - began, ...(await asked()) };
}

beforeAll(async () => {
  build = await LocalBuild.start('ton.yaml', (text) =>
    text
      .replace('localPrices: network', 'localPrices: network\n          localPerSecond: 1')
      .replace('blockTimeMs: 1000\n          # With', 'blockTimeMs: 3000\n          # With')
      .replace('messageLifeS: 30', 'messageLifeS: 90')
      .replace('pollMs: 250', 'pollMs: 1000')
      .replace('ttl: 60s', 'ttl: 300s')
      .replace('inclusionWindow: 20s', 'inclusionWindow: 60s'),
  );
  here = build.side(224235520, ton);
  there = build.side(31337, evm);
}, 240_000);
afterAll(async () => {
  await build?.stop();
  await endAll();
}, 60_000);

it('is never asked for more than it takes, and orders go through', { timeout: 400_000 }, async () => {
  await pause(5_000);
  await asked();
  await pause(IDLE_MS);
  const idle = await asked();
  const out = await order(here, there, 3, { input: 'TON', output: 'USDC', amount: 20n * 10n ** 9n });
  const into = await order(there, here, 4, { input: 'ETH', output: 'TON', amount: 10n ** 16n });
  process.stdout.write(`${JSON.stringify({ idle, out, into })}\n`);
  expect([idle.refused, out.refused, into.refused]).toEqual([0, 0, 0]);
  // No second has two of them.
  for (const [{ total }, ms] of [
    [idle, IDLE_MS],
    [out, out.ms],
    [into, into.ms],
  ] as const)
    expect(total).toBeLessThanOrEqual(ms / 1_000 + 2);
});
