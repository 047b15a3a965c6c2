import { dirname, join } from 'node:path';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/config.js';
import type { PayingSide, Side } from '../support/families/side.js';
import type { SvmPayer, SvmSide } from '../support/families/svm-side.js';
import { FamiliesWorld } from '../support/families/world.js';
import { Running } from '../support/service.js';
import { until } from '../support/until.js';

let world: FamiliesWorld;

beforeAll(async () => {
  world = await FamiliesWorld.start();
});

afterAll(async () => {
  await world?.close();
});

const usd = (amount: string) => parseUnits(amount, 6);

/** The operator command, next to the service, on its config. */
async function setup(side: SvmSide, payer: string, key = '') {
  const args = ['setup', world.config, '--chain', String(side.id), ...(payer === '' ? [] : ['--payer', payer])];
  const process = new Running(args, { SETUP_KEY: key });
  const { code } = await process.end('of causeway setup', 40_000);
  return { code, output: process.output };
}

interface Audit {
  readonly pots: readonly {
    readonly account: string;
    readonly ledger: string;
    readonly difference: string | null;
  }[];
}

async function audit(): Promise<Audit> {
  const response = await fetch(`${world.rest.baseUrl}/admin/audit`, { headers: { 'x-admin-key': ADMIN_KEY } });
  return (await response.json()) as Audit;
}

async function inventory(side: SvmSide) {
  const { pots } = await audit();
  const pot = pots.find(({ account }) => account === `inventory:${side.id}:${side.solver}:${side.currency('SOL')}`);
  if (pot === undefined) throw new Error('no such pot');
  return pot;
}

/** Once both are equal. */
function settled(side: SvmSide) {
  const same = async () => {
    const pot = await inventory(side);
    return pot.difference === '0' ? pot : undefined;
  };
  return until('the books are settled', same, { ms: 60_000, every: 200 });
}

async function transferred(from: PayingSide<SvmPayer>, to: Side): Promise<void> {
  const order = await world.order({ from, to, input: 'USDC', output: 'USDC', amount: usd('20') });
  await from.pay(order.payer, order.quote);
  await world.becomes(order, 'success');
  expect(await to.balance(order.recipient, 'USDC')).toBe(order.amountOut);
}

describe('causeway setup next to a running service', () => {
  it('makes what is missing while transfers go on, and disturbs nothing where another account pays', async () => {
    const { s, t } = world;
    const payer = await s.payer();
    await transferred(t, s);
    const [made] = await Promise.all([
      setup(s, 'env:SETUP_KEY', payer.privateKey),
      ...[1, 2, 3].flatMap(() => [transferred(s, t), transferred(t, s)]),
    ]);
    expect(made.output).not.toContain(payer.privateKey);
    expect(made).toMatchObject({ code: 0, output: expect.stringMatching(/1 made, 0 missing, 0 failed/) });
    expect(made.output).toMatch(/made {5}sigma: the vault's lookup table: \w+ holds all 11 addresses/);
    const again = await setup(s, '');
    expect(again).toMatchObject({ code: 0, output: expect.stringMatching(/5 there, 0 made, 0 missing, 0 failed/) });
    await settled(s);
    expect(await world.verdict()).toEqual([]);
    await world.service.kill();
    await world.boot();
    await transferred(t, s);
    expect(world.service.output).not.toContain('lane halted');
  }, 180_000);

  it('is not paid by a signer that has worked; where it insists, the lane reports, and goes on', async () => {
    const { s, t } = world;
    const refused = await setup(t, '');
    expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/was used by a service.*--payer/) });
    const key = join(dirname(world.config), 'keys', 'svm', 'svm-fill.key');
    const before = await settled(t);
    expect(world.service.output).not.toContain('lane halted');
    expect(await setup(t, `file:${key}`)).toMatchObject({ code: 0, output: expect.stringMatching(/1 made/) });
    // A running service compares its lanes with their chains periodically.
    await until('the lane halts', async () => world.service.output.includes('lane halted') || undefined);
    await until('the lane goes on', async () => world.service.output.includes('lane resumed') || undefined, {
      ms: 40_000,
    });
    // The halt ends with a booked table rent, which no order paid.
    const after = await settled(t);
    expect(BigInt(after.ledger) - BigInt(before.ledger)).toBeLessThan(-3_000_000n);
    await transferred(s, t);
    await settled(t);
  }, 180_000);
});
