import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, parseEther } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/config.js';
import { ROOT } from '../support/repository.js';
import { Running } from '../support/service.js';
import { until } from '../support/until.js';
import { newAddress, newUser, pay, type User, walletOf } from '../support/wallet.js';
import { World } from '../support/world.js';

let world: World;
const lines = new Set<string>();

const list = () => join(world.home.dir, 'blocked.txt');

/** As operators are advised: a new file, renamed into place. */
function write(text = [...lines].join('\n')): void {
  writeFileSync(`${list()}.new`, `# e2e\n${text}\n`);
  renameSync(`${list()}.new`, list());
}

beforeAll(async () => {
  const use = join(ROOT, 'plugins/screening-list');
  world = await World.prepare({ addresses: true, withPlugins: [{ use, options: { file: './blocked.txt' } }] });
  write();
  await world.boot();
});

afterAll(async () => {
  await world?.close();
});

async function causeway(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { CAUSEWAY_URL: world.rest.baseUrl, CAUSEWAY_ADMIN_KEY: ADMIN_KEY };
  const process = new Running(args, env, world.home.dir);
  const { code } = await process.end(`of causeway ${args.join(' ')}`, 20_000);
  return { code, output: process.output };
}

const askOf = (user: string, recipient: string = newAddress()) => ({
  ...{ user, recipient, originChainId: world.a.id, destinationChainId: world.b.id },
  ...{ originCurrency: world.a.currency('ETH'), destinationCurrency: world.b.currency('ETH') },
  ...{ amount: parseEther('1').toString(), tradeType: 'EXACT_INPUT' },
});

it('refuses a quote of a blocked address, from the moment it is listed until it is not, and says nothing of why', async () => {
  const { address } = newUser();
  await world.rest.quote(askOf(address));
  lines.add(`${world.a.id} ${address} court order 12`);
  write();
  const refused = await world.rest.refusedQuote(askOf(address));
  expect(refused).toMatchObject({
    status: 400,
    body: { errorCode: 'SANCTIONED_WALLET_ADDRESS', retriable: false, errorData: { field: 'user' } },
  });
  expect(JSON.stringify(refused.body)).not.toContain('court');
  // As a recipient on the other chain it is another party.
  await world.rest.quote(askOf(newUser().address, address));
  lines.clear();
  write();
  await world.rest.quote(askOf(address));
});

it('holds the deposit of an order whose recipient is blocked after the quote, for an operator who pays it out once', async () => {
  const order = await world.order({ amount: parseEther('1') });
  lines.add(`* ${order.recipient}`);
  write();
  await pay(order.from, order.user, order.quote);
  const status = await world.becomes(order, 'failure', { mining: true });
  expect(status).toMatchObject({ failReason: 'BLOCKED_WALLET', refundFailReason: 'MANUAL_REFUND_REQUIRED' });
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
  expect(await world.a.balance(order.refundTo, 'ETH')).toBe(0n);
  world.excuse(order, { held: true });
  expect(await world.verdict()).toEqual([]);

  const audit = JSON.parse((await causeway('audit', world.home.config, '--json')).output) as {
    readonly holds: readonly { readonly id: string; readonly requestId: string }[];
  };
  const { id = '' } = audit.holds.find(({ requestId }) => requestId === order.requestId) ?? {};
  const unnamed = await causeway('hold', 'release', id);
  expect(unnamed.code).toBe(1);
  expect(unnamed.output).toMatch(/screener/);
  expect((await causeway('hold', 'release', id, '--to', order.refundTo)).code).toBe(0);
  world.excuse(order, { held: false });
  await world.becomes(order, 'refund', { mining: true });
  const paid = await world.a.balance(order.refundTo, 'ETH');
  expect(paid).toBeGreaterThan(parseEther('0.9'));
  expect((await causeway('hold', 'release', id, '--to', order.refundTo)).output).toMatch(/nothing to do/);
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
  lines.clear();
  write();
});

async function addressOrder(body: object) {
  const order = await world.order({
    amount: parseEther('1'),
    keyed: true,
    body: { useDepositAddress: true, ...body },
  });
  return { ...order, address: order.quote.steps[0]?.depositAddress as Address };
}

async function send(to: Address): Promise<User> {
  const user = await world.user();
  await world.a.receipt(await walletOf(world.a, user).sendTransaction({ to, value: parseEther('1') }));
  return user;
}

it.each([true, false])(
  'leaves what a blocked account pays to a deposit address (strict: %s) where it is, held and shown',
  async (strict) => {
    const user = await world.user();
    lines.add(`* ${user.address}`);
    write();
    const order = await addressOrder(strict ? { strict } : {});
    if (!strict) world.expect(order, { before: 0n, amount: parseEther('1') });
    const hash = await walletOf(world.a, user).sendTransaction({ to: order.address, value: parseEther('1') });
    await world.a.receipt(hash);
    const record = await until('it is held', async () => {
      await world.finalise();
      const found = strict
        ? await world.rest.request(order.requestId)
        : (await world.rest.children(order.requestId))[0];
      return found?.status === 'failure' ? found : undefined;
    });
    expect(record).toMatchObject({
      depositAddress: { depositor: user.address.toLowerCase(), depositTxHash: hash },
      data: { failReason: 'BLOCKED_WALLET', refundFailReason: 'MANUAL_REFUND_REQUIRED' },
    });
    for (let blocks = 0; blocks < 3; blocks += 1) await world.finalise();
    expect(await world.a.balance(order.address, 'ETH')).toBe(parseEther('1'));
    expect(await world.a.balance(order.refundTo, 'ETH')).toBe(0n);
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);

    const audit = JSON.parse((await causeway('audit', world.home.config, '--json')).output) as {
      readonly holds: readonly { readonly id: string; readonly requestId: string }[];
    };
    const { id = '' } = audit.holds.find(({ requestId }) => requestId === record.id) ?? {};
    expect((await causeway('hold', 'release', id)).code).toBe(1);
    expect((await causeway('hold', 'release', id, '--to', order.refundTo)).code).toBe(0);
    await until('it is paid out', async () => {
      await world.finalise();
      return (await world.a.balance(order.refundTo, 'ETH')) > parseEther('0.99');
    });
    expect(await world.a.balance(order.address, 'ETH')).toBe(0n);
    lines.clear();
    write();
  },
);

it.each([true, false])(
  'pays what arrived at a deposit address (strict: %s) to the recovery address where the recipient is blocked later',
  async (strict) => {
    const recoveryAddress = newAddress();
    const order = await addressOrder({ recoveryAddress, ...(strict ? { strict } : {}) });
    world.excuse(order, { refundTo: recoveryAddress });
    if (!strict) world.expect(order, { before: 0n, amount: parseEther('1') });
    lines.add(`* ${order.recipient}`);
    write();
    await send(order.address);
    const record = await until('it is refunded', async () => {
      await world.finalise();
      const found = strict
        ? await world.rest.request(order.requestId)
        : (await world.rest.children(order.requestId))[0];
      return found?.status === 'refund' ? found : undefined;
    });
    expect(record).toMatchObject({ depositAddress: { recoveryAddress: recoveryAddress.toLowerCase() } });
    expect(record.data.failReason).toBe('BLOCKED_WALLET');
    const back = await world.a.balance(recoveryAddress, 'ETH');
    expect(back).toBeGreaterThan(parseEther('0.99'));
    expect(back).toBeLessThan(parseEther('1'));
    expect(await world.a.balance(order.refundTo, 'ETH')).toBe(0n);
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
    lines.clear();
    write();
  },
);

it('quotes nothing and pays nothing while the list cannot be read, and goes on where it was', async () => {
  const order = await world.order({ amount: parseEther('1') });
  write('nonsense');
  const refused = await world.rest.refusedQuote(askOf(newUser().address));
  expect(refused).toMatchObject({ status: 503, body: { errorCode: 'SERVICE_UNAVAILABLE', retriable: true } });
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'pending', { mining: true });
  await until('an operator is told', () => world.service.output.includes('Screener screening-list does not answer'));
  expect(world.service.output).toMatch(/line 2: begins with \\+"nonsense/);
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
  write();
  await world.becomes(order, 'success');
  expect(await world.b.balance(order.recipient, 'ETH')).toBe(order.amountOut);
  await world.rest.quote(askOf(newUser().address));
  expect(await world.verdict()).toEqual([]);
});
