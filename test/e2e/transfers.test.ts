import { getAddress, parseEther, parseUnits, recoverAddress } from 'viem';
import { describe, expect, it } from 'vitest';
import { sharedWorld } from '../support/shared-world.js';
import { until } from '../support/until.js';
import { fund, newUser, pay, sendItem } from '../support/wallet.js';
import type { Order, World } from '../support/world.js';

let world: World;

sharedWorld((shared) => {
  world = shared;
});

const usd = (amount: string) => parseUnits(amount, 6);

async function delivered(order: Order): Promise<bigint> {
  const status = await world.becomes(order, 'success');
  expect(status.txHashes).toHaveLength(1);
  expect(status.failReason).toBe('N/A');
  return order.to.balance(order.recipient, order.output);
}

describe('a transfer', () => {
  it('moves native coin from A to B', async () => {
    const order = await world.order({ amount: parseEther('1') });
    expect((await world.rest.status(order.requestId)).status).toBe('waiting');

    const hash = await pay(order.from, order.user, order.quote);

    expect(await delivered(order)).toBe(order.amountOut);
    const status = await world.rest.status(order.requestId);
    expect(status.inTxHashes).toEqual([hash]);
    expect(status).toMatchObject({ originChainId: world.a.id, destinationChainId: world.b.id });
  });

  it('moves native coin from B to A', async () => {
    const order = await world.order({ from: world.b, amount: parseEther('0.5') });
    await pay(order.from, order.user, order.quote);
    expect(await delivered(order)).toBe(order.amountOut);
  });

  it('moves a token, with an approval that carries no check', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('250') });
    expect(order.quote.steps.map((step) => step.id)).toEqual(['approve', 'deposit']);
    for (const item of order.quote.steps[0]?.items ?? []) expect(item.check).toBeUndefined();
    expect(order.quote.steps[1]?.items[0]?.check?.endpoint).toContain(order.requestId);

    await pay(order.from, order.user, order.quote);

    expect(await delivered(order)).toBe(order.amountOut);
  });

  it('moves a token whose transfers return nothing', async () => {
    const order = await world.order({ input: 'USDT', amount: usd('100') });
    await pay(order.from, order.user, order.quote);
    expect(await delivered(order)).toBe(order.amountOut);
  });

  it('turns a token into native coin, and native coin into a token, from inventory', async () => {
    const sell = await world.order({ input: 'USDC', output: 'ETH', amount: usd('2000') });
    const buy = await world.order({ input: 'ETH', output: 'DAI', amount: parseEther('0.1') });
    await Promise.all([sell, buy].map((order) => pay(order.from, order.user, order.quote)));
    expect(await delivered(sell)).toBe(sell.amountOut);
    expect(await delivered(buy)).toBe(buy.amountOut);
    // 2000 USD per ether and 1 per dollar, less fees.
    expect(sell.amountOut).toBeGreaterThan(parseEther('0.95'));
    expect(sell.amountOut).toBeLessThan(parseEther('1'));
    expect(buy.amountOut).toBeGreaterThan(parseUnits('190', 18));
    expect(buy.amountOut).toBeLessThan(parseUnits('200', 18));
  });
});

describe('a transfer within one chain', () => {
  const recorded = async (order: Order, requestType: string) => {
    const { requests } = await world.rest.requests({ requestType, chainId: order.from.id, limit: 50 });
    return requests.map(({ id }) => id);
  };

  it('sends a token and a coin to another account', async () => {
    const token = await world.order({ to: world.a, input: 'USDC', amount: usd('40') });
    const coin = await world.order({ to: world.a, amount: parseEther('0.1') });
    for (const order of [token, coin]) {
      expect(order.quote.details).toMatchObject({ operation: 'send' });
      await pay(order.from, order.user, order.quote);
      expect(await delivered(order)).toBe(order.amountOut);
      expect(await recorded(order, 'send')).toContain(order.requestId);
    }
  });

  it('turns one asset into another', async () => {
    const order = await world.order({ to: world.a, input: 'USDC', output: 'ETH', amount: usd('300') });
    expect(order.quote.details).toMatchObject({ operation: 'swap' });
    await pay(order.from, order.user, order.quote);
    expect(await delivered(order)).toBe(order.amountOut);
    expect(await recorded(order, 'same-chain swap')).toContain(order.requestId);
  });

  it('is refunded where it cannot be filled', async () => {
    const body = { referrer: 'debug-force-refund' };
    const order = await world.order({ to: world.a, input: 'USDC', output: 'ETH', amount: usd('300'), body });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'refund', { mining: true });
    expect(await order.from.balance(order.refundTo, 'USDC')).toBeGreaterThan(usd('290'));
    expect(await order.to.balance(order.recipient, 'ETH')).toBe(0n);
  });
});

describe('trade types', () => {
  it('EXACT_INPUT takes exactly what was asked', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('77') });
    expect(order.amountIn).toBe(usd('77'));
    await pay(order.from, order.user, order.quote);
    expect(await delivered(order)).toBe(order.amountOut);
  });

  it('EXACT_OUTPUT delivers exactly what was asked', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('77'), tradeType: 'EXACT_OUTPUT' });
    expect(order.amountOut).toBe(usd('77'));
    expect(order.amountIn).toBeGreaterThan(usd('77'));
    await pay(order.from, order.user, order.quote);
    expect(await delivered(order)).toBe(usd('77'));
  });

  it('EXPECTED_OUTPUT aims at what was asked', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('77'), tradeType: 'EXPECTED_OUTPUT' });
    expect(order.amountOut).toBe(usd('77'));
    expect(order.minimumOut).toBeLessThanOrEqual(usd('77'));
    await pay(order.from, order.user, order.quote);
    expect(await delivered(order)).toBe(usd('77'));
  });

  it('quotes both ways with the same fees', async () => {
    const { user } = await world.order({ input: 'USDC', amount: usd('1000') });
    const quoted = (more: object) => world.order({ input: 'USDC', amount: usd('1000'), user, ...more });
    const [there, back] = await until('gas costs the same for three quotes', async () => {
      const before = await quoted({});
      const reversed = await quoted({ amount: before.amountOut, tradeType: 'EXACT_OUTPUT' });
      const after = await quoted({});
      return before.amountOut === after.amountOut && ([before, reversed] as const);
    });
    expect(back.amountIn - there.amountIn).toBeLessThanOrEqual(1n);
    expect(there.amountIn - back.amountIn).toBeLessThanOrEqual(1n);
  });
});

describe('a quote', () => {
  it('signs the raw order id when asked for protocol data', async () => {
    const plain = await world.order({ amount: parseEther('0.2') });
    expect(plain.quote.protocol.v2.orderSignature).toBeUndefined();
    const order = await world.order({ amount: parseEther('0.2'), body: { includeProtocolData: true } });
    const { orderSignature, orderId, orderData } = order.quote.protocol.v2;
    expect(orderId).not.toBe(order.requestId);
    if (orderSignature === undefined) throw new Error('no signature');
    const signer = await recoverAddress({ hash: orderId, signature: orderSignature });
    expect(signer).toBe(getAddress(orderData.solver));
  });

  it('is given to preview addresses, which hold nothing', async () => {
    const quote = await world.rest.quote({
      user: '0x000000000000000000000000000000000000dead',
      originChainId: world.a.id,
      destinationChainId: world.b.id,
      originCurrency: world.a.currency('ETH'),
      destinationCurrency: world.b.currency('ETH'),
      amount: parseEther('1').toString(),
      tradeType: 'EXACT_INPUT',
    });
    expect(quote.steps.at(-1)?.id).toBe('deposit');
  });

  it('refunds the user when it names no one else, and delivers to them', async () => {
    const user = newUser();
    await fund(world.a, user.address);
    const quote = await world.rest.quote({
      user: user.address,
      originChainId: world.a.id,
      destinationChainId: world.b.id,
      originCurrency: world.a.currency('ETH'),
      destinationCurrency: world.b.currency('ETH'),
      amount: parseEther('1').toString(),
      tradeType: 'EXACT_INPUT',
    });
    expect(quote.details.recipient.toLowerCase()).toBe(user.address.toLowerCase());
    const [input] = quote.protocol.v2.orderData.inputs;
    expect(input?.refunds[0]?.recipient.toLowerCase()).toBe(user.address.toLowerCase());
  });
});

describe('POST /transactions/index', () => {
  it('takes a chain id as text or number and an unmined transaction, and moves no money', async () => {
    const order = await world.order({ amount: parseEther('0.3') });
    const item = order.quote.steps[0]?.items[0];
    if (item === undefined) throw new Error('no step');
    const unknown = `0x${'11'.repeat(32)}`;
    for (const chainId of [world.a.id, String(world.a.id)]) {
      const reply = await world.rest.call('POST', '/transactions/index', { body: { chainId, txHash: unknown } });
      expect(reply.status).toBe(200);
    }
    expect((await world.rest.status(order.requestId)).status).toBe('waiting');
    const txHash = await sendItem(order.from, order.user, item);
    const reply = await world.rest.call('POST', '/transactions/index', {
      body: { chainId: String(world.a.id), txHash, referrer: 'somebody' },
    });
    expect(reply.status).toBe(200);
    expect(await delivered(order)).toBe(order.amountOut);
  });
});

describe('the record', () => {
  it('reports the whole transfer', async () => {
    const order = await world.order({ input: 'USDC', amount: usd('40') });
    const hash = await pay(order.from, order.user, order.quote);
    const { txHashes } = await world.becomes(order, 'success');
    const record = await world.rest.request(order.requestId);
    expect(record).toMatchObject({ id: order.requestId, status: 'success' });
    expect(record.user.toLowerCase()).toBe(order.user.address.toLowerCase());
    expect(record.recipient.toLowerCase()).toBe(order.recipient.toLowerCase());
    expect(record.refundTo?.toLowerCase()).toBe(order.refundTo.toLowerCase());
    expect(record.data.failReason).toBeNull();
    expect(record.data.inTxs.map((entry) => [entry.txHash, entry.status, entry.chainId])).toEqual([
      [hash, 'success', world.a.id],
    ]);
    expect(record.data.outTxs.map((entry) => [entry.txHash, entry.status, entry.chainId])).toEqual([
      [txHashes[0], 'success', world.b.id],
    ]);
    for (const route of [record.data.route.quoted, record.data.route.actual]) {
      expect(route?.origin.inputCurrency?.amount).toBe(order.amountIn.toString());
      expect(route?.destination.outputCurrency?.amount).toBe(order.amountOut.toString());
    }
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});
