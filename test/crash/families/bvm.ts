import { parseEther, parseUnits } from 'viem';
import type { NodeKind } from '../../../plugins/bvm/test/support/have-node.js';
import { BvmSide } from '../../support/families/bvm-side.js';
import { bumpFirst, depositFirst, reorgOnce, waitFirst } from './bvm-course.js';
import { every, type FamilyFlow, isCollected, isFilled, isRefunded, isSwept, REFUNDED_AT_ADDRESS } from './flow.js';
import { FamiliesStage, type Order } from './stage.js';

const HOUR_MS = 3_600_000;
const GATHER_MS = 300;
const PAYER_HAS = 50_000_000n;

type Stage = FamiliesStage<BvmSide>;

export function openBvm(kind: NodeKind): Promise<Stage> {
  return FamiliesStage.open(async (home) => {
    const options = { quoteValidityMs: HOUR_MS, batches: { waitMs: GATHER_MS } };
    const side = await BvmSide.start({ kind, options, payerHas: PAYER_HAS });
    for (const [path, text] of Object.entries(side.secrets)) home.secret(path, text);
    const plugin = { use: '@causeway/plugin-bvm', options: { chains: [side.options()] } };
    return { side, plugin, prices: side.price, stop: () => side.stop() };
  });
}

const usd = (amount: string) => parseUnits(amount, 6);
const FORCED = { referrer: 'debug-force-refund' };

async function paysIn(stage: Stage, body = {}): Promise<readonly Order[]> {
  const { evm, other } = stage;
  return [await stage.order(other, evm, { input: other.coin, output: 'USDC', amount: 10_000_000n, body })];
}

const refundedOrders = (stage: Stage): Promise<readonly Order[]> => paysIn(stage, FORCED);

async function paysOut(stage: Stage): Promise<readonly Order[]> {
  const { evm, other } = stage;
  return [await stage.order(evm, other, { input: 'USDC', output: other.coin, amount: usd('50') })];
}

async function doneBy({ other }: Stage, orders: readonly Order[]): Promise<readonly string[]> {
  const { fills, withdrawals } = await other.history();
  const recipients = orders.flatMap(({ recipient, refundTo }) => [recipient.toLowerCase(), refundTo.toLowerCase()]);
  return [...fills, ...withdrawals].filter(({ to }) => recipients.includes(to)).map(({ hash }) => hash);
}

const ON_EVERY_NETWORK: readonly FamilyFlow<BvmSide>[] = [
  {
    name: 'deposit into an output',
    status: 'success',
    orders: (stage) => paysIn(stage),
    course: depositFirst,
    done: (_, orders) => every(orders, isFilled),
  },
  {
    name: 'fill by an output',
    status: 'success',
    orders: paysOut,
    done: (_, orders) => every(orders, isFilled),
  },
  {
    name: 'fills of three in one transaction',
    status: 'success',
    orders: async (stage) => {
      const ask = { input: 'ETH', output: stage.other.coin, amount: parseEther('0.02') };
      const orders: Order[] = [];
      for (let n = 0; n < 3; n += 1) orders.push(await stage.order(stage.evm, stage.other, ask));
      return orders;
    },
    done: (_, orders) => every(orders, isFilled),
    isAsNamed: async (stage, orders) => {
      const hashes = await doneBy(stage, orders);
      if (hashes.length !== 3 || new Set(hashes).size !== 1) throw new Error(`three were paid by ${hashes.join()}`);
    },
  },
  {
    name: 'refund out of its own output',
    status: 'refund',
    orders: refundedOrders,
    course: depositFirst,
    done: (_, orders) => every(orders, isRefunded),
  },
  {
    name: 'refund out of a deposit address',
    status: 'refund',
    orders: (stage) => paysIn(stage, REFUNDED_AT_ADDRESS),
    course: depositFirst,
    done: async (_, orders) => (await every(orders, isRefunded)) && every(orders, isSwept),
  },
  {
    name: 'collect of outputs',
    status: 'success',
    tuning: { collectMinUsd: '1' },
    collects: true,
    orders: (stage) => paysIn(stage),
    done: async (stage, orders) =>
      (await every(orders, isFilled)) && (await isCollected(stage.other, stage.other.coin)),
  },
  {
    name: 'deposit that comes back after a reorg',
    status: 'success',
    orders: (stage) => paysIn(stage),
    course: (stage, orders) => {
      const isSettled = () => every(orders, isFilled);
      return reorgOnce(stage, orders, { isSettled, paid: stage.other.depository, unfinal: true });
    },
    done: (_, orders) => every(orders, isFilled),
  },
  {
    name: 'refund that a reorg takes',
    status: 'refund',
    orders: refundedOrders,
    course: (stage, orders) => {
      const isSettled = () => every(orders, isRefunded);
      return reorgOnce(stage, orders, { isSettled, paid: orders[0]?.refundTo ?? '', unfinal: false });
    },
    done: (_, orders) => every(orders, isRefunded),
  },
  {
    name: 'fill that a reorg takes',
    status: 'success',
    orders: paysOut,
    course: (stage, orders) => {
      const isSettled = () => every(orders, isFilled);
      return reorgOnce(stage, orders, { isSettled, paid: orders[0]?.recipient ?? '', unfinal: false });
    },
    done: (_, orders) => every(orders, isFilled),
  },
];

/** Flows in which a transaction waits long for a block: with a fee bump, where nodes accept one. */
const OF_THIS_NETWORK: Readonly<Record<NodeKind, FamilyFlow<BvmSide>>> = {
  bitcoin: {
    name: 'fill with its fee raised',
    status: 'success',
    orders: paysOut,
    course: bumpFirst,
    done: (_, orders) => every(orders, isFilled),
  },
  litecoin: {
    name: 'fill that blocks leave out, and nothing replaces',
    status: 'success',
    orders: paysOut,
    course: waitFirst,
    done: (_, orders) => every(orders, isFilled),
  },
};

export function bvmFlows(kind: NodeKind): readonly FamilyFlow<BvmSide>[] {
  return [...ON_EVERY_NETWORK, OF_THIS_NETWORK[kind]];
}
