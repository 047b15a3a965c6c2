import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SvmPayer } from '../support/families/svm-side.js';
import { FamiliesWorld, type OwnOrder } from '../support/families/world.js';
import { until } from '../support/until.js';

let world: FamiliesWorld;

beforeAll(async () => {
  world = await FamiliesWorld.start({
    svm: 1,
    edit: (document) => ({
      ...document,
      service: { ...(document.service as object), limits: { dustUsd: '0.01', maxRequestUsd: '10000' } },
    }),
  });
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);
const sol = (amount: string) => parseUnits(amount, 9);

interface AddressOrder extends OwnOrder<SvmPayer> {
  readonly address: string;
}

async function ask(input: string, amount: bigint, type: 'strict' | 'open' = 'strict'): Promise<AddressOrder> {
  const order = await world.order({
    ...{ from: world.s, to: world.evm, input, output: input === 'SOL' ? 'ETH' : input, amount, keyed: true },
    body: { useDepositAddress: true, ...(type === 'strict' ? { strict: true } : {}) },
  });
  const [step] = order.quote.steps;
  expect(order.quote.steps).toHaveLength(1);
  return { ...order, address: step?.depositAddress as string };
}

/** By the step of the quote, from the next user. */
async function send(order: AddressOrder): Promise<string> {
  return world.s.pay(order.payer, order.quote);
}

async function settledAt(order: AddressOrder, symbol: string): Promise<void> {
  await until(
    `${symbol} at ${order.address} is swept`,
    async () => (await world.s.balance(order.address, symbol)) === 0n,
  );
}

describe('a strict deposit address on a Solana-type chain', () => {
  it.each([
    ['SOL', sol('1')],
    ['USDC', usd('250')],
  ] as const)('fills an exact payment in %s, and sweeps it', async (input, amount) => {
    const order = await ask(input, amount);
    expect(await world.rest.status(order.requestId)).toMatchObject({ status: 'waiting' });
    const hash = await send(order);
    await world.becomes(order, 'success');
    expect(await world.evm.balance(order.recipient, order.output)).toBe(order.amountOut);
    const record = await world.rest.request(order.requestId);
    expect(record.depositAddress).toMatchObject({ address: order.address, type: 'strict', depositTxHash: hash });
    await settledAt(order, input);
  });

  it('pays a second transfer back as a duplicate', async () => {
    const order = await ask('USDC', usd('100'));
    await send(order);
    await world.becomes(order, 'success');
    await send(order);
    const [child] = await until('the second one is refunded', async () => {
      const found = await world.rest.children(order.requestId);
      return found.length === 1 && found[0]?.status === 'refund' ? found : undefined;
    });
    expect(child?.data.failReason).toBe('DOUBLE_SPEND');
    const back = await world.s.balance(order.refundTo, 'USDC');
    expect(back).toBeGreaterThan(usd('90'));
    expect(back).toBeLessThan(usd('100'));
    expect(await world.evm.balance(order.recipient, 'USDC')).toBe(order.amountOut);
    await settledAt(order, 'USDC');
  });
});

describe('an open deposit address on a Solana-type chain', () => {
  it('fills each transfer by itself', async () => {
    const order = await ask('USDC', usd('100'), 'open');
    await send(order);
    await send(order);
    const children = await until('two children are filled', async () => {
      await world.evm.advance();
      const found = await world.rest.children(order.requestId);
      return found.length === 2 && found.every(({ status }) => status === 'success') ? found : undefined;
    });
    expect(new Set(children.map((one) => one.depositAddress?.depositTxHash)).size).toBe(2);
    await settledAt(order, 'USDC');
  });
});

it('keeps the books to the unit', async () => {
  const audit = await until('the books balance', async () => {
    await world.evm.advance();
    const now = await world.rest.audit();
    return now.balanced ? now : undefined;
  });
  expect(audit.pots.filter(({ difference }) => difference !== '0')).toEqual([]);
});
