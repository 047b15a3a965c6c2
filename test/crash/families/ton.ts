import { join } from 'node:path';
import { parseUnits } from 'viem';
import { startTon, type TonSide } from '../../support/families/ton-side.js';
import { every, type FamilyFlow, isCollected, isFilled, isRefunded, isSwept, REFUNDED_AT_ADDRESS } from './flow.js';
import { FamiliesStage, type Order } from './stage.js';

/** Fast: a lane of a restored ledger rests for the life of a message and 20 blocks. */
const BLOCK_MS = 250;
const LIFE_S = 10;
const USDT = { symbol: 'USDT', name: 'Local Dollar', address: 'devnet', decimals: 6, group: 'usd-coin' };

const OPTIONS = {
  chains: [
    {
      ...{ id: 224235520, name: 'theta', displayName: 'theta', rpc: 'devnet', jettons: [USDT] },
      // Network prices, so that a wallet pays for receiving. Recipients have no code, so they hold exactly what they
      // were sent.
      ...{ blockTimeMs: BLOCK_MS, messageLifeS: LIFE_S, pollMs: 50, localPrices: 'network' },
    },
  ],
};

type Stage = FamiliesStage<TonSide>;

export function openTon(): Promise<Stage> {
  return FamiliesStage.open(async (home) => {
    const { side, options, stop } = await startTon(OPTIONS, join(home.dir, 'keys'));
    return { side, plugin: { use: '@causeway/plugin-tonvm', options }, prices: { toncoin: '3' }, stop };
  });
}

const usd = (amount: string) => parseUnits(amount, 6);
const coins = (amount: string) => parseUnits(amount, 9);
const FORCED = { referrer: 'debug-force-refund' };
const SEVERAL = 4;

async function paysOut(stage: Stage, output: string, times = 1): Promise<readonly Order[]> {
  const ask = { input: 'USDC', output, amount: usd('50') };
  const orders: Order[] = [];
  for (let n = 0; n < times; n += 1) orders.push(await stage.order(stage.evm, stage.other, ask));
  return orders;
}

async function paysIn(stage: Stage, input: 'TON' | 'USDT', body = {}): Promise<readonly Order[]> {
  const amount = input === 'TON' ? coins('20') : usd('50');
  return [await stage.order(stage.other, stage.evm, { input, output: 'USDC', amount, body })];
}

export const TON_FLOWS: readonly FamilyFlow<TonSide>[] = [
  {
    name: 'fill of coins',
    status: 'success',
    orders: (stage) => paysOut(stage, 'TON'),
    done: (_, orders) => every(orders, isFilled),
  },
  {
    name: 'fill of jettons',
    status: 'success',
    orders: (stage) => paysOut(stage, 'USDT'),
    done: (_, orders) => every(orders, isFilled),
  },
  {
    name: 'fills of several in one order of the wallet',
    status: 'success',
    orders: (stage) => paysOut(stage, 'TON', SEVERAL),
    done: (_, orders) => every(orders, isFilled),
    isAsNamed: async (stage, orders) => {
      const { fills } = await stage.other.history();
      const recipients = orders.map(({ recipient }) => recipient.toLowerCase());
      const hashes = fills.filter(({ to }) => recipients.includes(to)).map(({ hash }) => hash);
      if (hashes.length !== SEVERAL || new Set(hashes).size === SEVERAL)
        throw new Error(`${SEVERAL} were paid by ${hashes.join()}`);
    },
  },
  {
    name: 'deposit of coins',
    status: 'success',
    orders: (stage) => paysIn(stage, 'TON'),
    done: (_, orders) => every(orders, isFilled),
  },
  {
    name: 'deposit of jettons',
    status: 'success',
    orders: (stage) => paysIn(stage, 'USDT'),
    done: (_, orders) => every(orders, isFilled),
  },
  {
    name: 'refund of coins',
    status: 'refund',
    orders: (stage) => paysIn(stage, 'TON', FORCED),
    done: (_, orders) => every(orders, isRefunded),
  },
  {
    name: 'refund of jettons',
    status: 'refund',
    orders: (stage) => paysIn(stage, 'USDT', FORCED),
    done: (_, orders) => every(orders, isRefunded),
  },
  {
    name: 'sweep of a deposit address, then its refund',
    status: 'refund',
    orders: (stage) => paysIn(stage, 'USDT', REFUNDED_AT_ADDRESS),
    done: async (_, orders) => (await every(orders, isRefunded)) && every(orders, isSwept),
  },
  {
    name: 'collect of jettons',
    status: 'success',
    tuning: { collectMinUsd: '1' },
    collects: true,
    orders: (stage) => paysIn(stage, 'USDT'),
    done: async (stage, orders) => (await every(orders, isFilled)) && (await isCollected(stage.other, 'USDT')),
  },
  {
    name: 'collect of coins',
    status: 'success',
    tuning: { collectMinUsd: '1' },
    collects: true,
    orders: (stage) => paysIn(stage, 'TON'),
    done: async (stage, orders) => {
      if (!(await every(orders, isFilled))) return false;
      const pot = (await stage.other.pots()).find(({ token }) => token === stage.other.currency('TON'));
      // The depository pays for its sends from its own balance; a collect leaves its maximum cost there.
      return pot !== undefined && pot.now < (pot.before ?? 0n) + (orders[0]?.amountIn ?? 0n) / 2n;
    },
  },
];
