import { keccak256, parseEther, parseUnits, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginToRefuse, block, deployRejecter } from '../support/contracts.js';
import { sleep, until } from '../support/until.js';
import { depositDirectly, fund, newAddress, newUser, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  // Held at this threshold, where gas would use up all of it.
  world = await World.start({ dustUsd: '0' });
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);

async function refunded(order: Order, failReason: string): Promise<bigint> {
  const status = await world.becomes(order, 'refund', { mining: true });
  expect(status).toMatchObject({ failReason, refundFailReason: 'N/A' });
  return order.from.balance(order.refundTo, order.input);
}

/** Less than was paid, by at most the gas cost. */
function expectGasDeducted(back: bigint, paid: bigint): void {
  expect(back).toBeLessThan(paid);
  expect(back).toBeGreaterThan((paid * 9n) / 10n);
}

describe('a fill that cannot be made', () => {
  it('is refunded when the recipient refuses native coin, less the gas of the refund', async () => {
    const order = await world.order({ amount: parseEther('1') });
    const { recipient } = order;
    await beginToRefuse(world.b, recipient);
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status.failReason).not.toBe('N/A');
    expect(status.failReason).not.toBe('UNKNOWN');
    expectGasDeducted(await world.a.balance(order.refundTo, 'ETH'), order.amountIn);
    expect(await world.b.balance(recipient, 'ETH')).toBe(0n);
    const record = await world.rest.request(order.requestId);
    expect(record.status).toBe('refund');
    expect(record.data.failReason).toBe(status.failReason);
    expect(record.data.failedCallData).toMatchObject({ to: expect.any(String), data: expect.any(String) });
  });

  it('is not even quoted to a recipient that refuses native coin already', async () => {
    const recipient = await deployRejecter(world.b);
    const { address } = newUser();
    const refused = await world.rest.refusedQuote({
      ...{ user: address, recipient, originChainId: world.a.id, destinationChainId: world.b.id },
      ...{ originCurrency: world.a.currency('ETH'), destinationCurrency: world.b.currency('ETH') },
      ...{ amount: parseEther('1').toString(), tradeType: 'EXACT_INPUT' },
    });
    expect(refused.body).toMatchObject({ errorCode: 'DESTINATION_TX_FAILED' });
    expect(refused.status).toBeLessThan(500);
  });

  it('is refunded when the token refuses the recipient', async () => {
    const order = await world.order({ input: 'BLOCK', amount: usd('300') });
    await block(world.b, order.recipient);
    await pay(order.from, order.user, order.quote);
    expectGasDeducted(await refunded(order, 'DESTINATION_TOKEN_TRANSFER_REJECTED'), order.amountIn);
    expect(await world.b.balance(order.recipient, 'BLOCK')).toBe(0n);
  });

  it('is refunded on demand, for integrators who test their refund path', async () => {
    const order = await world.order({ amount: parseEther('1'), body: { referrer: 'debug-force-refund' } });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'refund', { mining: true });
    expectGasDeducted(await world.a.balance(order.refundTo, 'ETH'), order.amountIn);
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
  });
});

describe('a second deposit for one order', () => {
  it('is a child request of its own and refunded once, no matter who paid it', async () => {
    const order = await world.order({ amount: parseEther('1') });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    const stranger = await world.user();
    await depositDirectly(world.a, order.user, { symbol: 'ETH', amount: order.amountIn, id: order.orderId });
    await depositDirectly(world.a, stranger, { symbol: 'ETH', amount: order.amountIn, id: order.orderId });

    const children = await until('two children are refunded', async () => {
      await world.finalise();
      const found = await world.rest.children(order.requestId);
      return found.length === 2 && found.every((child) => child.status === 'refund') ? found : undefined;
    });

    for (const child of children) expect(child.data.failReason).toBe('DOUBLE_SPEND');
    expect((await world.rest.status(order.requestId)).status).toBe('success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
    const back = await world.a.balance(order.refundTo, 'ETH');
    expect(back).toBeGreaterThan(order.amountIn);
    expect(back).toBeLessThan(order.amountIn * 2n);
  });
});

describe('an amount that was not quoted', () => {
  it('fills less for a little less', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('1000'), body: { slippageTolerance: '100' } });
    await depositDirectly(world.a, order.user, { symbol: 'USDC', amount: usd('998'), id: order.orderId });
    await world.becomes(order, 'success');
    const got = await world.b.balance(order.recipient, 'USDC');
    expect(got).toBeLessThan(order.amountOut);
    expect(got).toBeGreaterThanOrEqual(order.minimumOut);
  });

  it('refunds half', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('1000') });
    await depositDirectly(world.a, order.user, { symbol: 'USDC', amount: usd('500'), id: order.orderId });
    expectGasDeducted(await refunded(order, 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'), usd('500'));
  });

  it('judges two halves one by one: both are too little', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('1000') });
    for (let half = 0; half < 2; half += 1) {
      await depositDirectly(world.a, order.user, { symbol: 'USDC', amount: usd('500'), id: order.orderId });
    }
    await world.becomes(order, 'refund', { mining: true });
    await until('both halves come back', async () => {
      await world.finalise();
      return (await world.a.balance(order.refundTo, 'USDC')) > usd('900');
    });
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(0n);
  });

  it('refunds an EXACT_OUTPUT order that is one unit short', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('1000'), tradeType: 'EXACT_OUTPUT' });
    await depositDirectly(world.a, order.user, { symbol: 'USDC', amount: order.amountIn - 1n, id: order.orderId });
    expectGasDeducted(await refunded(order, 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'), order.amountIn);
  });

  it('fills as quoted for more, and refunds the excess', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('1000') });
    await depositDirectly(world.a, order.user, { symbol: 'USDC', amount: usd('1500'), id: order.orderId });
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);
    const back = await until('the excess comes back', async () => {
      await world.finalise();
      const balance = await world.a.balance(order.refundTo, 'USDC');
      return balance > 0n ? balance : undefined;
    });
    expectGasDeducted(back, usd('500'));
    expect((await world.rest.status(order.requestId)).status).toBe('success');
  });

  it.each(['EXACT_INPUT', 'EXACT_OUTPUT'] as const)(
    'is filled as quoted where the token keeps a fee, %s: the payer sends what the quote says',
    async (tradeType) => {
      const order = await world.order({ input: 'FEE', output: 'USDC', amount: usd('1000'), tradeType });
      const before = await world.a.balance(order.user.address, 'FEE');
      await pay(order.from, order.user, order.quote);
      await world.becomes(order, 'success');
      expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);
      const sent = before - (await world.a.balance(order.user.address, 'FEE'));
      expect(sent).toBe(order.amountIn);
      expect(order.quote.details.route.origin.outputCurrency.amount).toBe(`${sent - sent / 100n}`);
    },
  );

  it('counts by what arrived where the payer left the fee out', async () => {
    const body = { slippageTolerance: '300' };
    const order = await world.order({ input: 'FEE', output: 'USDC', amount: usd('1000'), body });
    const arriving = BigInt(order.quote.details.route.origin.outputCurrency.amount);
    await depositDirectly(world.a, order.user, { symbol: 'FEE', amount: arriving, id: order.orderId });
    await world.becomes(order, 'success');
    const got = await world.b.balance(order.recipient, 'USDC');
    expect(got).toBeLessThan((order.amountOut * 995n) / 1000n);
    expect(got).toBeGreaterThanOrEqual(order.minimumOut);
  });
});

describe('a deposit that does not fit its order', () => {
  it('is refunded in the currency that arrived', async () => {
    const order = await world.order({ amount: parseEther('1') });
    await fund(world.a, order.user.address, { USDC: usd('700') });
    await depositDirectly(world.a, order.user, { symbol: 'USDC', amount: usd('700'), id: order.orderId });
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status.failReason).toBe('INCORRECT_DEPOSIT_CURRENCY');
    expectGasDeducted(await world.a.balance(order.refundTo, 'USDC'), usd('700'));
  });

  it('is refunded on the chain where it arrived, to any client that paid it there', async () => {
    const order = await world.order({ amount: parseEther('1') });
    await fund(world.b, order.user.address);
    const before = await world.b.balance(order.user.address, 'ETH');
    await depositDirectly(world.b, order.user, { symbol: 'ETH', amount: order.amountIn, id: order.orderId });
    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status.failReason).toBe('DEPOSIT_CHAIN_MISMATCH');
    expect(await world.b.balance(order.refundTo, 'ETH')).toBe(0n);
    expect(await world.b.balance(order.user.address, 'ETH')).toBeGreaterThan(before - order.amountIn / 10n);
  });

  it('is held on another chain where the payer is not who it names', async () => {
    const order = await world.order({ amount: parseEther('1') });
    const payer = await world.user({ ETH: parseEther('10') });
    const { address: depositor } = order.user;
    world.excuse(order, { held: true });
    const deposited = { symbol: 'ETH', amount: order.amountIn, id: order.orderId, depositor };
    await depositDirectly(world.b, payer, deposited);
    const status = await world.becomes(order, 'failure', { mining: true });
    expect(status).toMatchObject({
      failReason: 'DEPOSIT_CHAIN_MISMATCH',
      refundFailReason: 'MANUAL_REFUND_REQUIRED',
    });
  });

  it('goes back to the depositor that the chain names when no one knows its id', async () => {
    const payer = await world.user({ ETH: parseEther('10') });
    const depositor = newAddress();
    const id = keccak256(toHex('never promised'));
    await depositDirectly(world.a, payer, { symbol: 'ETH', amount: parseEther('2'), id, depositor });
    const back = await until('the orphan comes home', async () => {
      await world.finalise();
      const balance = await world.a.balance(depositor, 'ETH');
      return balance > 0n ? balance : undefined;
    });
    expectGasDeducted(back, parseEther('2'));
    const record = await until('the record says so', async () => {
      await world.finalise();
      const { requests } = await world.rest.requests({ user: depositor });
      expect(requests).toHaveLength(1);
      return requests[0]?.status === 'refund' ? requests[0] : undefined;
    });
    expect(record.data.failReason).toBe('ORPHANED_DEPOSIT_REFUND');
  });
});

describe('a refund that cannot be made', () => {
  it('is held under a name when gas would take all of it', async () => {
    const order = await world.order({ amount: parseEther('1') });
    world.excuse(order, { held: true });
    await depositDirectly(world.a, order.user, { symbol: 'ETH', amount: 1000n, id: order.orderId });
    const status = await world.becomes(order, 'failure', { mining: true });
    expect(status.refundFailReason).toBe('AMOUNT_TOO_LOW_TO_REFUND');
  });

  it('is held under a name when its recipient refuses it', async () => {
    const refundTo = await deployRejecter(world.a);
    const order = await world.order({ amount: parseEther('1'), refundTo, body: { referrer: 'debug-force-refund' } });
    world.excuse(order, { held: true });
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'failure', { mining: true });
    expect(status.refundFailReason).toBe('MANUAL_REFUND_REQUIRED');
  });
});

describe('no one', () => {
  it('is refunded before the deposit is final', async () => {
    await world.a.manual();
    try {
      const user = newUser();
      await world.a.client.setBalance({ address: user.address, value: parseEther('10') });
      const order = await world.order({ amount: parseEther('1'), user, body: { referrer: 'debug-force-refund' } });
      await pay(order.from, user, order.quote);
      await world.a.mine();
      await world.becomes(order, 'pending');
      await world.a.mine();
      const sent = await world.a.client.getTransactionCount({ address: world.keys.fill.address, blockTag: 'pending' });
      await sleep(800);
      expect(await world.a.client.getTransactionCount({ address: world.keys.fill.address, blockTag: 'pending' })).toBe(
        sent,
      );
      await world.becomes(order, 'refund', { mining: true });
    } finally {
      await world.a.automatic();
    }
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
