import { type Address, type Hash, parseEther, parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payAddress } from '../support/deposit-addresses.js';
import { until } from '../support/until.js';
import { FAUCET, fund, newAddress, newUser, pay, walletOf } from '../support/wallet.js';
import { type Ask, type Order, World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  world = await World.start({
    addresses: true,
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
const BACK_BPS = 9_000n;

interface AddressOrder extends Order {
  readonly address: Address;
}

async function ask(wish: Ask, type: 'strict' | 'open' = 'strict', body: object = {}): Promise<AddressOrder> {
  const order = await world.order({
    ...wish,
    keyed: true,
    body: { useDepositAddress: true, ...(type === 'strict' ? { strict: true } : {}), ...wish.body, ...body },
  });
  const [step] = order.quote.steps;
  expect(order.quote.steps).toHaveLength(1);
  return { ...order, address: step?.depositAddress as Address };
}

const send = (address: Address, symbol: string, amount: bigint) => payAddress(world.a, address, symbol, amount);

function expectGasDeducted(back: bigint, paid: bigint): void {
  expect(back).toBeLessThan(paid);
  expect(back).toBeGreaterThan((paid * BACK_BPS) / 10_000n);
}

/** Everything that ever came to the address is in the depository, and the books know of each unit. */
async function settledAt(address: Address, symbol: string): Promise<void> {
  await until(`${symbol} at ${address} is swept`, async () => {
    await world.finalise();
    return (await world.a.balance(address, symbol)) === 0n;
  });
}

describe('a strict deposit address', () => {
  it.each([
    ['ETH', parseEther('1')],
    ['USDC', usd('250')],
  ] as const)('fills an exact payment in %s, and sweeps it', async (input, amount) => {
    const order = await ask({ input, amount });
    expect(await world.rest.status(order.requestId)).toMatchObject({ status: 'waiting' });
    const { user, hash } = await send(order.address, input, amount);
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, input)).toBe(order.amountOut);
    const record = await world.rest.request(order.requestId);
    expect(record.depositAddress).toEqual({
      address: order.address.toLowerCase(),
      type: 'strict',
      depositor: user.address.toLowerCase(),
      depositTxHash: hash,
      recoveryAddress: null,
    });
    await settledAt(order.address, input);
  });

  it('fills as quoted for more, and pays the excess back in a payment of its own', async () => {
    const order = await ask({ input: 'USDC', amount: usd('100') });
    await send(order.address, 'USDC', usd('150'));
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);
    const back = await until('the excess comes back', async () => {
      await world.finalise();
      const balance = await world.a.balance(order.refundTo, 'USDC');
      return balance > 0n ? balance : undefined;
    });
    expectGasDeducted(back, usd('50'));
  });

  it.each([
    ['too little', 'USDC', usd('99'), 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'],
    ['another currency', 'DAI', parseUnits('100', 18), 'INCORRECT_DEPOSIT_CURRENCY'],
  ] as const)('pays %s back to its refund address', async (_, symbol, amount, failReason) => {
    const order = await ask({ input: 'USDC', amount: usd('100') });
    await send(order.address, symbol, amount);
    expect(await world.becomes(order, 'refund', { mining: true })).toMatchObject({ failReason });
    expectGasDeducted(await world.a.balance(order.refundTo, symbol), amount);
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(0n);
  });

  it('pays a second transfer back as a duplicate', async () => {
    const order = await ask({ input: 'USDC', amount: usd('100') });
    await send(order.address, 'USDC', usd('100'));
    await world.becomes(order, 'success');
    await send(order.address, 'USDC', usd('100'));
    const [child] = await until('the second one is refunded', async () => {
      await world.finalise();
      const found = await world.rest.children(order.requestId);
      return found.length === 1 && found[0]?.status === 'refund' ? found : undefined;
    });
    expect(child?.data.failReason).toBe('DOUBLE_SPEND');
    expectGasDeducted(await world.a.balance(order.refundTo, 'USDC'), usd('100'));
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);
  });

  it('fills exactly once where a stranger sweeps first', async () => {
    const order = await ask({ amount: parseEther('1') });
    await send(order.address, 'ETH', parseEther('1'));
    const { depositAddresses } = world.a;
    if (depositAddresses === undefined) throw new Error('no factory');
    const hash = await walletOf(world.a, FAUCET).writeContract({
      address: depositAddresses,
      abi: [
        {
          type: 'function',
          name: 'sweepOne',
          stateMutability: 'nonpayable',
          inputs: [
            { name: 'salt', type: 'bytes32' },
            { name: 'token', type: 'address' },
          ],
          outputs: [],
        },
      ],
      functionName: 'sweepOne',
      args: [order.requestId as Hash, world.a.currency('ETH')],
    });
    await world.a.receipt(hash);
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
    await settledAt(order.address, 'ETH');
  });
});

describe('an open deposit address', () => {
  it('fills each transfer by itself, also in another currency', async () => {
    const order = await ask({ input: 'USDC', amount: usd('100') }, 'open');
    await send(order.address, 'USDC', usd('40'));
    await send(order.address, 'USDC', usd('60'));
    await send(order.address, 'ETH', parseEther('0.1'));
    const children = await until('three children are filled', async () => {
      await Promise.all(world.chains.map((chain) => chain.nudge()));
      const found = await world.rest.children(order.requestId);
      return found.length === 3 && found.every(({ status }) => status === 'success') ? found : undefined;
    });
    expect(new Set(children.map((one) => one.depositAddress?.depositTxHash)).size).toBe(3);
    const got = await world.b.balance(order.recipient, 'USDC');
    expect(got).toBeGreaterThan(usd('290'));
    expect(got).toBeLessThan(usd('300'));
    expect(await world.rest.status(order.requestId)).toMatchObject({ status: 'waiting' });
    await settledAt(order.address, 'USDC');
    await settledAt(order.address, 'ETH');
  });

  it('holds what it cannot fill where no refund address is known', async () => {
    const user = await world.user();
    const recipient = newAddress();
    const quote = await world.rest.quote({
      ...{ user: user.address, recipient, originChainId: world.a.id, destinationChainId: world.b.id },
      ...{ originCurrency: world.a.currency('USDC'), destinationCurrency: world.b.currency('USDC') },
      ...{ amount: usd('100').toString(), tradeType: 'EXACT_INPUT', useDepositAddress: true },
    });
    const [step] = quote.steps;
    const sender = await send(step?.depositAddress as Address, 'USDC', usd('20000'));
    const [child] = await until('it is held', async () => {
      await world.finalise();
      const found = await world.rest.children(step?.requestId ?? '');
      return found[0]?.status === 'failure' ? found : undefined;
    });
    expect(child?.data).toMatchObject({
      failReason: 'SOLVER_CAPACITY_EXCEEDED',
      refundFailReason: 'MANUAL_REFUND_REQUIRED',
    });
    expect(await world.a.balance(sender.user.address, 'USDC')).toBe(0n);
  });
});

describe('a transfer of the token that names its order', () => {
  it('is the only step of the quote, and fills the order; a second one is paid back', async () => {
    const amount = usd('120');
    const order = await world.order({ input: 'USDC', amount, keyed: true, body: { explicitDeposit: false } });
    const [step, ...others] = order.quote.steps;
    expect(others).toEqual([]);
    expect(step).toMatchObject({ id: 'deposit', depositAddress: '', items: [{ data: { value: '0' } }] });
    expect(step?.items[0]?.data.to.toLowerCase()).toBe(world.a.currency('USDC').toLowerCase());
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(order.amountOut);

    await fund(world.a, order.user.address, { USDC: amount });
    await pay(order.from, order.user, order.quote);
    const [child] = await until('the second one is refunded', async () => {
      await world.finalise();
      const found = await world.rest.children(order.requestId);
      return found.length === 1 && found[0]?.status === 'refund' ? found : undefined;
    });
    expect(child?.data.failReason).toBe('DOUBLE_SPEND');
    expectGasDeducted(await world.a.balance(order.refundTo, 'USDC'), amount);
  });

  it('is not served for native coin', async () => {
    const { address } = newUser();
    const refused = await world.rest.refusedQuote({
      ...{ user: address, recipient: address, originChainId: world.a.id, destinationChainId: world.b.id },
      ...{ originCurrency: world.a.currency('ETH'), destinationCurrency: world.b.currency('ETH') },
      ...{ amount: parseEther('1').toString(), tradeType: 'EXACT_INPUT', explicitDeposit: false },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { errorCode: 'UNSUPPORTED_EXECUTION_TYPE', errorData: { field: 'explicitDeposit' } },
    });
  });
});

it('keeps the books to the unit', async () => {
  const audit = await until('the books balance', async () => {
    await world.finalise();
    const now = await world.rest.audit();
    return now.balanced ? now : undefined;
  });
  expect(audit.pots.filter(({ difference }) => difference !== '0')).toEqual([]);
});
