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

/** The command of an operator, beside the service, on its very config. */
async function setup(side: SvmSide, payer: string, key = '') {
  const args = ['setup', world.config, '--chain', String(side.id), ...(payer === '' ? [] : ['--payer', payer])];
  const process = new Running(args, { SETUP_KEY: key });
  const { code } = await process.end('of causeway setup', 40_000);
  return { code, output: process.output };
}

interface Audit {
  readonly pots: readonly {
    readonly account: string;
    readonly difference: string | null;
    readonly drift: string | null;
  }[];
  readonly lanes: readonly { readonly chainId: number; readonly halted: string | null }[];
}

async function audit(): Promise<Audit> {
  const response = await fetch(`${world.rest.baseUrl}/admin/audit`, { headers: { 'x-admin-key': ADMIN_KEY } });
  return (await response.json()) as Audit;
}

/** What the fill signer's books of native coin lack, by name; undefined while something is on its way. */
async function drift(side: SvmSide) {
  const { pots } = await audit();
  const pot = pots.find(({ account }) => account === `inventory:${side.id}:${side.solver}:${side.currency('SOL')}`);
  if (pot === undefined) throw new Error('no such pot');
  return pot.drift === 'inFlight' ? undefined : pot;
}

async function transferred(from: PayingSide<SvmPayer>, to: Side): Promise<void> {
  const order = await world.order({ from, to, input: 'USDC', output: 'USDC', amount: usd('20') });
  await from.pay(order.payer, order.quote);
  await world.becomes(order, 'success');
  expect(await to.balance(order.recipient, 'USDC')).toBe(order.amountOut);
}

describe('causeway setup beside a running service', () => {
  it('makes what is missing while transfers go on, and disturbs nothing where somebody else pays', async () => {
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
    expect(await until('the books are settled', () => drift(s), { ms: 60_000, every: 200 })).toMatchObject({
      difference: '0',
    });
    expect(await world.verdict()).toEqual([]);
    // Not even a process that compares its ledger with the chain finds anything.
    await world.service.kill();
    await world.boot();
    await transferred(t, s);
    expect(world.service.output).not.toContain('lane halted');
  }, 180_000);

  it('is not paid by a signer that has worked; where it insists, books and lane tell, and go on', async () => {
    const { s, t } = world;
    const refused = await setup(t, '');
    expect(refused).toMatchObject({ code: 1, output: expect.stringMatching(/has worked for a service.*--payer/) });
    const key = join(dirname(world.config), 'keys', 'svm', 'svm-fill.key');
    expect(await setup(t, `file:${key}`)).toMatchObject({ code: 0, output: expect.stringMatching(/1 made/) });
    const told = await until(
      'the books tell',
      async () => {
        const found = await drift(t);
        return found?.drift === 'unrecordedOutflow' ? found : undefined;
      },
      { ms: 60_000, every: 200 },
    );
    expect(BigInt(told.difference ?? 0)).toBeLessThan(-3_000_000n);
    await world.service.kill();
    await world.boot();
    await until('the lane halts', async () => world.service.output.includes('lane halted') || undefined);
    const halted = async () => (await audit()).lanes.find(({ chainId }) => chainId === t.id)?.halted;
    await until('the lane goes on', async () => (await halted()) === null || undefined, { ms: 40_000 });
    await transferred(s, t);
    // What the halt ended with is in the books.
    expect(await until('the books are settled', () => drift(t), { ms: 60_000, every: 200 })).toMatchObject({
      difference: '0',
    });
  }, 180_000);
});
