import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextNonce, postMapping, sendPlain, takeStep } from '../support/nonce-mappings.js';
import type { StepItem } from '../support/rest.js';
import { until } from '../support/until.js';
import { fund, newAddress, newUser, type User, walletOf } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  // Own world: kills the service and removes blocks.
  world = await World.start();
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);

async function payer(): Promise<User> {
  const user = newUser();
  await fund(world.a, user.address, { USDC: usd('1000') });
  return user;
}

const quoted = (user: User, amount = usd('20')): Promise<Order> =>
  world.order({ from: world.a, input: 'USDC', amount, user });

/** As a client does, and for the oracle. */
async function mapped(order: Order, nonce: number): Promise<void> {
  expect(await postMapping(world, order, nonce)).toMatchObject({ status: 200 });
  world.mapped.push({ chainId: order.from.id, sender: order.user.address, nonce, orderId: order.orderId });
}

const paidOut = ({ recipient }: Order) => world.b.balance(recipient, 'USDC');

/** A transfer without an order goes back to its sender. */
async function refundedTo(user: User, balance: bigint): Promise<void> {
  await until('it goes back', async () => {
    await world.finalise();
    const now = await world.a.balance(user.address, 'USDC');
    // The refund's gas is deducted.
    return now > balance - usd('5') ? now : undefined;
  });
}

describe('a plain transfer in the transaction that its payer named', () => {
  it('is filled once, and another transfer of the payer, with another nonce, goes back', async () => {
    const user = await payer();
    const order = await quoted(user);
    const nonce = await nextNonce(world.a, user);
    await mapped(order, nonce + 1);
    await world.a.receipt(await sendPlain(world.a, user, { symbol: 'USDC', amount: order.amountIn, nonce }));
    await until('it is seen', async () => {
      await world.finalise();
      return (await world.rest.status(order.requestId)).status === 'waiting' ? true : undefined;
    });
    await refundedTo(user, usd('1000'));
    expect(await paidOut(order)).toBe(0n);
    await sendPlain(world.a, user, { symbol: 'USDC', amount: order.amountIn, nonce: nonce + 1 });
    await world.becomes(order, 'success');
    await world.finalise();
    expect(await paidOut(order)).toBe(order.amountOut);
    expect((await world.rest.request(order.requestId)).data.inTxs).toHaveLength(1);
  });

  it('is not what a stranger sends with the same nonce', async () => {
    const [user, stranger] = [await payer(), await payer()];
    const order = await quoted(user);
    const nonce = await nextNonce(world.a, user);
    expect(await nextNonce(world.a, stranger)).toBe(nonce);
    await mapped(order, nonce);
    await world.a.receipt(await sendPlain(world.a, stranger, { symbol: 'USDC', amount: order.amountIn }));
    await refundedTo(stranger, usd('1000'));
    expect(await world.rest.status(order.requestId)).toMatchObject({ status: 'waiting' });
    await sendPlain(world.a, user, { symbol: 'USDC', amount: order.amountIn, nonce });
    await world.becomes(order, 'success');
    expect(await paidOut(order)).toBe(order.amountOut);
  });

  it('is refunded where it pays too little, to the refund address of the order', async () => {
    const user = await payer();
    const order = await quoted(user, usd('40'));
    const nonce = await nextNonce(world.a, user);
    await mapped(order, nonce);
    await sendPlain(world.a, user, { symbol: 'USDC', amount: usd('15'), nonce });
    await until('it goes back', async () => {
      await world.finalise();
      return (await world.a.balance(order.refundTo, 'USDC')) > usd('10') ? true : undefined;
    });
    expect(await paidOut(order)).toBe(0n);
  });

  it('is filled though the service is killed between the mapping and the transfer', async () => {
    const user = await payer();
    const order = await quoted(user);
    const nonce = await nextNonce(world.a, user);
    await mapped(order, nonce);
    await world.service.kill();
    await sendPlain(world.a, user, { symbol: 'USDC', amount: order.amountIn, nonce });
    await world.boot();
    await world.becomes(order, 'success');
    expect(await paidOut(order)).toBe(order.amountOut);
    expect(await postMapping(world, order, nonce)).toMatchObject({ status: 200 });
    await world.finalise();
    expect(await paidOut(order)).toBe(order.amountOut);
  });

  it('is filled once though a reorg puts it into another block', async () => {
    const user = await payer();
    const order = await quoted(user);
    const nonce = await nextNonce(world.a, user);
    await mapped(order, nonce);
    const hash = await sendPlain(world.a, user, { symbol: 'USDC', amount: order.amountIn, nonce });
    const raw = await world.a.client.request<{ Method: string; Parameters: [string]; ReturnType: `0x${string}` }>({
      ...{ method: 'eth_getRawTransactionByHash', params: [hash] },
    });
    await world.becomes(order, 'success');
    await world.a.reorgOut(hash, [[raw, 0]]);
    await world.a.mine();
    await world.becomes(order, 'success', { mining: true });
    await world.finalise();
    expect(await paidOut(order)).toBe(order.amountOut);
  });
});

describe('a quote whose steps name the transaction', () => {
  it('is filled once by its signature and its transfer, sent as they are', async () => {
    const user = await payer();
    const order = await world.order({
      ...{ from: world.a, input: 'USDC', amount: usd('20'), user },
      body: { useNonceMapping: true },
    });
    const nonce = await nextNonce(world.a, user);
    const { signed, posted } = await takeStep(world, order);
    expect(signed).toMatchObject({ depositor: user.address.toLowerCase(), nonce: String(nonce), id: order.orderId });
    expect(posted).toMatchObject({ status: 200 });
    world.mapped.push({ chainId: order.from.id, sender: user.address, nonce, orderId: order.orderId });
    const [, step, ...others] = order.quote.steps;
    expect(others).toEqual([]);
    const sent = step?.items[0]?.data ?? expect.fail('no transfer');
    const { to, data, nonce: own } = sent as StepItem['data'] & { readonly nonce: number };
    expect([own, data.length]).toEqual([nonce, 2 + 2 * (4 + 32 + 32)]);
    await walletOf(world.a, user).sendTransaction({ to, data, nonce: own });
    await world.becomes(order, 'success');
    await world.finalise();
    expect(await paidOut(order)).toBe(order.amountOut);
  });

  it('is not given for coin, and another nonce is taken where it is said', async () => {
    const user = await payer();
    const body = { useNonceMapping: true, depositNonce: 3 };
    const order = await world.order({ from: world.a, input: 'USDC', amount: usd('20'), user, body });
    expect((await takeStep(world, order)).signed).toMatchObject({ nonce: '3' });
    const coin = { user: user.address, originChainId: world.a.id, destinationChainId: world.b.id, ...body };
    const native = world.a.currency('ETH');
    const asked = {
      ...coin,
      originCurrency: native,
      destinationCurrency: world.b.currency('ETH'),
      amount: '1000000000',
    };
    expect(await world.rest.refusedQuote({ ...asked, tradeType: 'EXACT_INPUT' })).toMatchObject({
      status: 400,
      body: { errorCode: 'UNSUPPORTED_EXECUTION_TYPE', errorData: { field: 'useNonceMapping' } },
    });
  });
});

describe('a plain transfer that was recorded before its nonce is mapped', () => {
  it('keeps the mapping out with 409 and goes back, and the order is paid by the next transaction', async () => {
    const user = await payer();
    const order = await quoted(user);
    const nonce = await nextNonce(world.a, user);
    const hash = await sendPlain(world.a, user, { symbol: 'USDC', amount: order.amountIn, nonce });
    await world.a.receipt(hash);
    const { id: requestId } = await until('it is recorded', async () => {
      await world.a.mine();
      return (await world.rest.requests({ term: hash })).requests[0];
    });
    const refused = await postMapping(world, order, nonce);
    const errorData = { field: 'nonce', transactionHash: hash, requestId };
    expect(refused).toMatchObject({ status: 409, body: { errorData } });
    await refundedTo(user, usd('1000'));
    expect(await postMapping(world, order, nonce)).toMatchObject({ status: 409 });
    await until('its request says so', async () => {
      await world.finalise();
      return (await world.rest.request(requestId)).status === 'refund' ? true : undefined;
    });
    expect(await paidOut(order)).toBe(0n);
    await mapped(order, nonce + 1);
    await sendPlain(world.a, user, { symbol: 'USDC', amount: order.amountIn, nonce: nonce + 1 });
    await world.becomes(order, 'success');
    expect(await paidOut(order)).toBe(order.amountOut);
  });
});

describe('refused, so that nothing is paid for another', () => {
  const refused = (status: number, field: string) => ({ status, body: { errorData: { field } } });

  it('are a second order for a nonce, and a second nonce for an order', async () => {
    const user = await payer();
    const [order, other] = [await quoted(user), await quoted(user)];
    const nonce = await nextNonce(world.a, user);
    await mapped(order, nonce);
    expect(await postMapping(world, other, nonce)).toMatchObject(refused(409, 'nonce'));
    expect(await postMapping(world, order, nonce + 1)).toMatchObject(refused(409, 'id'));
    await sendPlain(world.a, user, { symbol: 'USDC', amount: order.amountIn, nonce });
    await world.becomes(order, 'success');
    expect(await postMapping(world, other, nonce)).toMatchObject(refused(409, 'nonce'));
    expect([await paidOut(order), await paidOut(other)]).toEqual([order.amountOut, 0n]);
  });

  it('are signatures of others, orders of others, and chains that the order is not paid on', async () => {
    const [user, thief] = [await payer(), newUser()];
    const order = await quoted(user);
    const nonce = await nextNonce(world.a, user);
    expect(await postMapping(world, order, nonce, { signer: thief })).toMatchObject(refused(400, 'signature'));
    const own = { wallet: thief.address, depositor: thief.address };
    expect(await postMapping(world, order, nonce, { signer: thief, change: own })).toMatchObject(
      refused(400, 'depositor'),
    );
    expect(await postMapping(world, order, nonce, { change: { wallet: newAddress() } })).toMatchObject(
      refused(400, 'depositor'),
    );
    expect(await postMapping(world, order, nonce, { change: { walletChainId: world.b.id } })).toMatchObject(
      refused(400, 'signature'),
    );
    expect(await postMapping(world, order, nonce, { change: { walletChainId: 5 } })).toMatchObject({
      status: 400,
      body: { errorCode: 'UNSUPPORTED_CHAIN' },
    });
    expect(await postMapping(world, order, nonce, { change: { id: `0x${'5a'.repeat(32)}` } })).toMatchObject({
      status: 404,
      body: { errorCode: 'REQUEST_NOT_FOUND' },
    });
  });
});

it('keeps what it owes to the unit, by the chains', async () => {
  expect(await world.verdict()).toEqual([]);
});
