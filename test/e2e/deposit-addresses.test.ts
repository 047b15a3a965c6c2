import { type Address, type Hash, type Hex, parseEther, parseGwei, parseUnits, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/config.js';
import { payAddress } from '../support/deposit-addresses.js';
import { Running } from '../support/service.js';
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

/** Everything that ever arrived at the address is in the depository, and in the books. */
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

  it('fills as quoted for more, and refunds the excess in a payment of its own', async () => {
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
  ] as const)('refunds %s to its refund address', async (_, symbol, amount, failReason) => {
    const order = await ask({ input: 'USDC', amount: usd('100') });
    await send(order.address, symbol, amount);
    expect(await world.becomes(order, 'refund', { mining: true })).toMatchObject({ failReason });
    expectGasDeducted(await world.a.balance(order.refundTo, symbol), amount);
    expect(await world.b.balance(order.recipient, 'USDC')).toBe(0n);
  });

  it('refunds a second transfer as a duplicate', async () => {
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

  it('fills exactly once where a third party sweeps first', async () => {
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

/** $0.05: less than a sweep at 20 gwei. */
const TINY = 50_000n;

/** Base fees fall by an eighth with each empty block. */
async function dearly(): Promise<void> {
  await world.a.client.request<{ Method: string; Parameters: readonly Hex[]; ReturnType: null }>({
    method: 'anvil_setNextBlockBaseFeePerGas',
    params: [toHex(parseGwei('20'))],
  });
  await world.finalise();
}

/** Runs the CLI as an operator does on the service's machine. */
async function causeway(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { CAUSEWAY_URL: world.rest.baseUrl, CAUSEWAY_ADMIN_KEY: ADMIN_KEY };
  const process = new Running(['addresses', ...args], env, world.home.dir);
  const { code } = await process.end(`of causeway addresses ${args.join(' ')}`, 20_000);
  return { code, output: process.output };
}

async function admin<T>(path: string): Promise<T> {
  const response = await fetch(`${world.rest.baseUrl}${path}`, { headers: { 'x-admin-key': ADMIN_KEY } });
  return (path === '/metrics' ? response.text() : response.json()) as Promise<T>;
}

describe('causeway addresses', () => {
  interface Detail {
    readonly transfers: readonly {
      readonly state: string;
      readonly sweptAt: number | null;
      readonly sweep: object | null;
    }[];
    readonly holds: readonly { readonly reason: string }[];
  }

  it('lists, shows and watches an address whose money is worth less than its sweep, and sweeps it once', async () => {
    const order = await ask({ input: 'USDC', amount: usd('100') });
    const address = order.address.toLowerCase();
    await dearly();
    await send(order.address, 'USDC', TINY);
    const details = () => admin<Detail>(`/admin/addresses/details?address=${address}`);
    let seen: Detail | undefined;
    await until(
      'it is held, and its sweep waits',
      async () => {
        await dearly();
        seen = await details();
        return seen.holds[0]?.reason === 'AMOUNT_TOO_LOW_TO_REFUND' && seen.transfers[0]?.state === 'final';
      },
      { seen: () => seen },
    );
    expect((await details()).transfers[0]).toMatchObject({ sweptAt: null, sweep: { state: 'owed' } });

    const listed = await causeway('list', '--chain', String(world.a.id), '--unswept');
    expect(listed.code, listed.output).toBe(0);
    const unswept = `1 transfer  unswept ${TINY} ${world.a.currency('USDC').toLowerCase()}`;
    expect(listed.output.split('\n').filter((line) => line.includes(address))).toEqual([
      expect.stringMatching(
        new RegExp(`^${world.a.id}  ${address}  strict  hot .* request ${order.requestId}  ${unswept}$`),
      ),
    ]);
    const shown = await causeway('show', order.requestId);
    expect(shown.output).toMatch(new RegExp(` ${TINY} +final +refund +owed, next attempt `));
    expect(shown.output).toMatch(new RegExp(` USDC +${TINY} +${TINY}$`, 'm'));
    const again = await causeway('reindex', address);
    expect(again).toMatchObject({ code: 0 });
    expect(again.output).toContain(`it holds ${TINY} USDC (smallest unit)`);

    const swept = await causeway('sweep', address);
    expect(swept).toMatchObject({ code: 0 });
    expect(swept.output).toContain(`1 of 1 transfers at ${address} are swept now`);
    await settledAt(order.address, 'USDC');
    await until('the sweep is final', async () => {
      await world.finalise();
      return (await details()).transfers[0]?.sweptAt !== null;
    });
    expect((await causeway('sweep', order.requestId)).output).toContain('nothing to do');
    const metrics = await admin<string>('/metrics');
    expect(metrics).toMatch(
      new RegExp(`^causeway_engine_deposit_addresses\\{chain="${world.a.id}",watched="always"\\} [1-9]`, 'm'),
    );
    expect(metrics).toMatch(new RegExp(`^causeway_evm_address_calls_total\\{chain="${world.a.id}"\\} [1-9]`, 'm'));
    expect(metrics).toMatch(
      new RegExp(`^causeway_engine_movements_sent_total\\{chain="${world.a.id}",kind="sweep"\\} [1-9]`, 'm'),
    );
  });
});

describe('a transfer of the token that names its order', () => {
  it('is the only step of the quote, and fills the order; a second one is refunded', async () => {
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
