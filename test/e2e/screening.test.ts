import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEther } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/config.js';
import { ROOT } from '../support/repository.js';
import { Running } from '../support/service.js';
import { until } from '../support/until.js';
import { newAddress, newUser, pay } from '../support/wallet.js';
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
  world = await World.prepare({ withPlugins: [{ use, options: { file: './blocked.txt' } }] });
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
