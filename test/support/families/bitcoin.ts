import { expect } from 'vitest';
import { lacks, type NodeKind } from '../../../plugins/bvm/test/support/have-node.js';
import { ADMIN_KEY } from '../config.js';
import { until } from '../until.js';
import type { BvmSide } from './bvm-side.js';
import type { FamiliesWorld, Order } from './world.js';

/** Chains whose node software is installed here. */
export const KINDS: readonly NodeKind[] = (['bitcoin', 'litecoin'] as const).filter((kind) => !lacks(kind));

export function sideOf({ bvm }: FamiliesWorld, kind: NodeKind): BvmSide {
  const found = bvm.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`the world has no ${kind}`);
  return found;
}

/** Satoshis worth this many US dollars at the world's prices. */
export function worth(side: BvmSide, usd: number): bigint {
  const [price] = Object.values(side.price);
  return BigInt(Math.round((usd / Number(price)) * 1e8));
}

export async function delivered(world: FamiliesWorld, order: Order): Promise<void> {
  const status = await world.becomes(order, 'success');
  expect(status).toMatchObject({ failReason: 'N/A', refundFailReason: 'N/A' });
  expect(status.inTxHashes).toHaveLength(1);
  expect(status.txHashes).toHaveLength(1);
  expect(await order.to.balance(order.recipient, order.output)).toBe(order.amountOut);
  expect(await order.from.balance(order.refundTo, order.input)).toBe(0n);
}

/** Waits for the refund: less than was paid, by at most its cost. */
export async function refunded(world: FamiliesWorld, order: Order, failReason: string): Promise<void> {
  const status = await world.becomes(order, 'refund');
  expect(status).toMatchObject({ failReason, refundFailReason: 'N/A' });
  const back = await order.from.balance(order.refundTo, order.input);
  expect(back).toBeLessThan(order.amountIn);
  expect(back).toBeGreaterThan((order.amountIn * 9n) / 10n);
  expect(await order.to.balance(order.recipient, order.output)).toBe(0n);
}

/** Waits until nothing is open and the books match the chains. */
export async function settled({ rest, sides }: FamiliesWorld): Promise<void> {
  let seen: unknown;
  await until(
    'the books balance and nothing is open',
    async () => {
      await Promise.all(sides.map((side) => side.advance()));
      const response = await fetch(`${rest.baseUrl}/admin/audit`, { headers: { 'x-admin-key': ADMIN_KEY } });
      const { balanced, unsettled, pots } = (await response.json()) as Readonly<Record<string, unknown>>;
      seen = { balanced, unsettled, pots };
      return balanced === true && unsettled === 0;
    },
    { ms: 40_000, every: 100, seen: () => seen },
  );
}
