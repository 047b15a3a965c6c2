import { parseUnits } from 'viem';
import type { Tuning } from '../../support/config.js';
import type { FamiliesStage, Order } from './stage.js';

/** One story between families that the service is killed in. */
export interface FamilyFlow {
  readonly name: string;
  readonly tuning?: Tuning;
  order(stage: FamiliesStage): Promise<Order>;
  /** By the chains alone: everybody has what they are owed, and nothing twice. */
  done(stage: FamiliesStage, order: Order): Promise<boolean>;
  readonly status: 'success' | 'refund';
}

const usd = (amount: string) => parseUnits(amount, 6);
const TOKEN = { input: 'USDC', output: 'USDC' } as const;

/** @throws when more arrived than was promised. */
async function isFilled({ to, recipient, output, amountOut }: Order): Promise<boolean> {
  const arrived = await to.balance(recipient, output);
  if (arrived > amountOut) throw new Error(`${recipient} got ${arrived} of ${amountOut}`);
  return arrived === amountOut;
}

/** @throws when more came back than was paid. */
async function isPaidBack({ from, refundTo, input, amountIn }: Order): Promise<boolean> {
  const back = await from.balance(refundTo, input);
  if (back > amountIn) throw new Error(`${refundTo} got ${back} back of ${amountIn}`);
  return back > 0n;
}

export const FAMILY_FLOWS: readonly FamilyFlow[] = [
  {
    name: 'fill with an account opened',
    status: 'success',
    order: (stage) => stage.order(stage.evm, stage.svm, { ...TOKEN, amount: usd('250') }),
    done: (_, order) => isFilled(order),
  },
  {
    name: 'deposit into the vault',
    status: 'success',
    order: (stage) => stage.order(stage.svm, stage.evm, { ...TOKEN, amount: usd('250') }),
    done: (_, order) => isFilled(order),
  },
  {
    name: 'refund from the vault',
    status: 'refund',
    order: (stage) =>
      stage.order(stage.svm, stage.evm, {
        ...{ input: 'SOL', output: 'USDC', amount: parseUnits('2', 9) },
        body: { referrer: 'debug-force-refund' },
      }),
    done: (_, order) => isPaidBack(order),
  },
  {
    name: 'collect from the vault',
    status: 'success',
    tuning: { collectMinUsd: '1' },
    order: (stage) => stage.order(stage.svm, stage.evm, { ...TOKEN, amount: usd('250') }),
    done: async (stage, order) => {
      const pots = await stage.svm.pots();
      const pot = pots.find(({ token }) => token === stage.svm.currency('USDC'));
      return (await isFilled(order)) && pot?.now === (pot?.before ?? 0n);
    },
  },
];
