import { join } from 'node:path';
import { parseUnits } from 'viem';
import { type SvmSide, startSvm } from '../../support/families/svm-side.js';
import { every, type FamilyFlow, isCollected, isFilled, isRefunded, isSwept, REFUNDED_AT_ADDRESS } from './flow.js';
import { FamiliesStage } from './stage.js';

/** Faster than any real config: a restarted service rests for 182 slots. */
const SLOT_MS = 20;
const MIN_SLOT_MS = 50;
const USDC = { symbol: 'USDC', name: 'USD Coin', address: 'devnet', decimals: 6, group: 'usd-coin' };
const HOUR_MS = 3_600_000;

const OPTIONS = {
  chains: [
    {
      ...{ id: 792703809, name: 'sigma', displayName: 'sigma', rpc: 'devnet', blockTimeMs: SLOT_MS },
      ...{ currencies: [USDC], finality: { tiers: [{ belowUsd: 100_000, depth: 0 }] }, quoteValidityMs: HOUR_MS },
    },
  ],
};

function slower(options: unknown): unknown {
  const { chains, ...rest } = options as { readonly chains: readonly object[] };
  return { ...rest, chains: chains.map((chain) => ({ ...chain, blockTimeMs: MIN_SLOT_MS })) };
}

export function openSvm(): Promise<FamiliesStage<SvmSide>> {
  return FamiliesStage.open(async (home) => {
    const nodes = await startSvm(OPTIONS, join(home.dir, 'keys'));
    const [side] = nodes.sides;
    if (side === undefined) throw new Error('a chain was asked for');
    const plugin = { use: '@causeway/plugin-svm', options: slower(nodes.options) };
    return { side, plugin, prices: { solana: '150' }, stop: nodes.stop };
  });
}

const usd = (amount: string) => parseUnits(amount, 6);
const TOKEN = { input: 'USDC', output: 'USDC' } as const;

export const SVM_FLOWS: readonly FamilyFlow<SvmSide>[] = [
  {
    name: 'fill with an account opened',
    status: 'success',
    orders: async (stage) => [await stage.order(stage.evm, stage.other, { ...TOKEN, amount: usd('250') })],
    done: (_, orders) => every(orders, isFilled),
  },
  {
    name: 'deposit into the vault',
    status: 'success',
    orders: async (stage) => [await stage.order(stage.other, stage.evm, { ...TOKEN, amount: usd('250') })],
    done: (_, orders) => every(orders, isFilled),
  },
  {
    name: 'refund from the vault',
    status: 'refund',
    orders: async (stage) => [
      await stage.order(stage.other, stage.evm, {
        ...{ input: 'SOL', output: 'USDC', amount: parseUnits('2', 9) },
        body: { referrer: 'debug-force-refund' },
      }),
    ],
    done: (_, orders) => every(orders, isRefunded),
  },
  {
    name: 'sweep of a deposit address, then its refund',
    status: 'refund',
    orders: async (stage) => [
      await stage.order(stage.other, stage.evm, { ...TOKEN, amount: usd('250'), body: REFUNDED_AT_ADDRESS }),
    ],
    done: async (_, orders) => (await every(orders, isRefunded)) && every(orders, isSwept),
  },
  {
    name: 'collect from the vault',
    status: 'success',
    tuning: { collectMinUsd: '1' },
    collects: true,
    orders: async (stage) => [await stage.order(stage.other, stage.evm, { ...TOKEN, amount: usd('250') })],
    done: async (stage, orders) => (await every(orders, isFilled)) && (await isCollected(stage.other, 'USDC')),
  },
];
