import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { formatEther, parseEther } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/config.js';
import { deployRejecter } from '../support/contracts.js';
import { Running } from '../support/service.js';
import { until } from '../support/until.js';
import { newAddress, pay } from '../support/wallet.js';
import { type Order, World } from '../support/world.js';

let world: World;

beforeAll(async () => {
  // Own world: restores an older ledger.
  world = await World.start();
});

afterAll(async () => {
  await world?.close();
});

beforeEach(async () => {
  await world.finalise();
});

/** Runs the CLI as an operator does on the service's machine. */
async function causeway(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { CAUSEWAY_URL: world.rest.baseUrl, CAUSEWAY_ADMIN_KEY: ADMIN_KEY };
  const process = new Running(args, env, world.home.dir);
  const { code } = await process.end(`of causeway ${args.join(' ')}`, 20_000);
  return { code, output: process.output };
}

interface Audit {
  readonly balanced: boolean;
  readonly unsettled: number;
  readonly requests: readonly { readonly id: string; readonly why: string }[];
  readonly holds: readonly { readonly id: string; readonly requestId: string; readonly reason: string }[];
  readonly lanes: readonly { readonly halted: string | null }[];
}

async function audit(): Promise<Audit & { readonly code: number | null }> {
  const { code, output } = await causeway('audit', world.home.config, '--json');
  return { ...(JSON.parse(output) as Audit), code };
}

/** The chain is briefly ahead of the books. */
async function balances(): Promise<void> {
  await until(
    'the books balance and nothing is open',
    async () => {
      await world.finalise();
      const { balanced, unsettled } = await audit();
      return balanced && unsettled === 0;
    },
    { every: 300 },
  );
}

async function unfilled(): Promise<Order> {
  const order = await world.order({ amount: parseEther('1') });
  expect((await causeway('pause', '--chain', String(world.b.id))).code).toBe(0);
  await pay(order.from, order.user, order.quote);
  await world.becomes(order, 'pending');
  return order;
}

describe('causeway refund', () => {
  it('gives a request up that nothing was sent for, once', async () => {
    const order = await unfilled();
    const waiting = (await audit()).requests.find(({ id }) => id === order.requestId);
    expect(waiting?.why).toMatch(/\w/);

    const early = await causeway('refund', order.requestId);
    await world.finalise();
    const given = await until('the deposit is final', async () => {
      const answer = await causeway('refund', order.requestId);
      return answer.code === 0 ? answer : undefined;
    });
    // A premature command reports what to wait for; otherwise it is the same command given twice.
    if (early.code !== 0) expect(early.output).toMatch(/final/);
    expect(given.output).toMatch(/owed|refund/);

    const status = await world.becomes(order, 'refund', { mining: true });
    expect(status.failReason).toBe('MANUAL_ADMIN_REFUND');
    const paid = await world.a.balance(order.refundTo, 'ETH');
    expect(paid).toBeGreaterThan(parseEther('0.9'));

    const again = await causeway('refund', order.requestId);
    expect(again).toMatchObject({ code: 0 });
    expect(again.output).toMatch(/nothing to do/);
    expect((await causeway('resume', '--chain', String(world.b.id))).code).toBe(0);
    await balances();
    expect(await world.a.balance(order.refundTo, 'ETH')).toBe(paid);
    expect(await world.b.balance(order.recipient, 'ETH')).toBe(0n);
  });

  it('is refused for what was filled, and for what no one knows', async () => {
    const order = await world.order({ amount: parseEther('1') });
    await pay(order.from, order.user, order.quote);
    await world.becomes(order, 'success');
    const { code, output } = await causeway('refund', order.requestId);
    expect(code).toBe(1);
    expect(output).toMatch(/409/);
    const unknown = await causeway('refund', `0x${'12'.repeat(32)}`);
    expect(unknown.code).toBe(1);
    expect(unknown.output).toMatch(/404/);
    await balances();
  });
});

describe('causeway hold release', () => {
  it('pays what was on hold to the recipient that the operator names, once', async () => {
    const refundTo = await deployRejecter(world.a);
    const order = await world.order({ amount: parseEther('1'), refundTo, body: { referrer: 'debug-force-refund' } });
    const amount = order.amountIn;
    await pay(order.from, order.user, order.quote);
    const status = await world.becomes(order, 'failure', { mining: true });
    expect(status.refundFailReason).toBe('MANUAL_REFUND_REQUIRED');

    const before = await audit();
    expect(before.code).toBe(1);
    const hold = before.holds.find(({ requestId }) => requestId === order.requestId);
    expect(hold).toMatchObject({ reason: 'MANUAL_REFUND_REQUIRED' });
    const to = newAddress();
    world.excuse(order, { refundTo: to });
    const bad = await causeway('hold', 'release', hold?.id ?? '', '--to', 'nowhere');
    expect(bad.code).toBe(1);
    expect(bad.output).toMatch(/nowhere/);
    expect((await causeway('hold', 'release', hold?.id ?? '', '--to', to)).code).toBe(0);
    const paid = await until('it is paid', async () => {
      await world.finalise();
      const now = await world.a.balance(to, 'ETH');
      return now > 0n ? now : undefined;
    });
    expect(paid).toBeGreaterThan(parseEther('0.3'));
    expect(paid).toBeLessThanOrEqual(amount);
    expect((await causeway('hold', 'release', hold?.id ?? '', '--to', to)).code).toBe(0);
    await balances();
    expect(await world.a.balance(to, 'ETH')).toBe(paid);
    expect((await audit()).holds).toEqual([]);
  });
});

describe('causeway backup and restore', () => {
  it('put an older ledger back, which repeats nothing', async () => {
    const file = join(world.home.dir, 'backup.db');
    const open = await world.order({ amount: parseEther('1') });
    const copied = await causeway('backup', world.home.config, file);
    expect(copied.code, copied.output).toBe(0);
    expect((await causeway('backup', world.home.config, file)).code).toBe(1);
    const running = await causeway('restore', world.home.config, file);
    expect(running.code).toBe(1);
    expect(running.output).toMatch(/another process uses the database/);
    expect((await causeway('restored', world.home.config)).output).toMatch(/another process uses the database/);

    await pay(open.from, open.user, open.quote);
    await world.becomes(open, 'success');
    await world.service.stop();
    const restored = await causeway('restore', world.home.config, file);
    expect(restored.code, restored.output).toBe(0);
    for (const _ of ['first', 'again']) expect((await causeway('restored', world.home.config)).code).toBe(0);
    rmSync(file);
    const { address } = world.keys.fill;
    const sent = await world.b.client.getTransactionCount({ address });
    await world.boot();
    await until('the deposit is seen again', async () => {
      await world.finalise();
      return (await world.rest.status(open.requestId)).status !== 'waiting';
    });
    for (let block = 0; block < 5; block += 1) await world.finalise();
    expect(await world.b.client.getTransactionCount({ address })).toBe(sent);
    expect(await world.b.balance(open.recipient, 'ETH')).toBe(open.amountOut);
  });
});

describe('afterwards', () => {
  it('the chains show nothing lost and nothing doubled', async () => {
    await world.finalise();
    expect(await world.verdict()).toEqual([]);
  });
});

it('causeway inventory shows what is held and what the depositories have, in whole units', async () => {
  await balances();
  const { code, output } = await causeway('inventory', world.home.config, '--json');
  expect(code).toBe(0);
  const lines = JSON.parse(output) as readonly Record<string, string | number | null>[];
  const held = await world.b.balance(world.keys.fill.address, 'ETH');
  const line = lines.find(({ chainId, currency }) => chainId === world.b.id && currency === 'ETH');
  expect(line).toMatchObject({ held: formatEther(held), drift: null });
  expect(Number(line?.['available'])).toBeGreaterThan(0);
  expect(Number(line?.['available'])).toBeLessThanOrEqual(Number(formatEther(held)));
  const table = await causeway('inventory', world.home.config);
  expect(table.output).toMatch(/USD may be promised now/);
});
