import { readFileSync } from 'node:fs';
import { newAccount } from '@causeway/plugin-svm/devnet';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../support/config.js';
import { call } from '../support/families/svm-history.js';
import { FamiliesWorld, type Order } from '../support/families/world.js';
import { Running } from '../support/service.js';
import { until } from '../support/until.js';

/** A chain without a contract: the histories of the signers alone show what was paid. */
let world: FamiliesWorld;
let former: string;

const NEW = newAccount();
const ETHER = parseUnits('0.1', 18);

interface Signers {
  readonly fill: string;
  readonly former?: readonly string[];
}

beforeAll(async () => {
  world = await FamiliesWorld.start({ svm: 1, proxied: true, collectMinUsd: '1000000000', orderTtl: '300s' });
  former = world.s.solver;
});

afterAll(async () => {
  await world?.close();
});

async function causeway(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { CAUSEWAY_URL: world.rest.baseUrl, CAUSEWAY_ADMIN_KEY: ADMIN_KEY };
  const process = new Running(args, env, world.home.dir);
  const { code } = await process.end(`of causeway ${args.join(' ')}`, 40_000);
  return { code, output: process.output };
}

function rotate(to: (before: Signers) => Signers): void {
  const document = JSON.parse(readFileSync(world.config, 'utf8')) as {
    readonly plugins: readonly {
      readonly use: string;
      readonly options: { readonly chains: { signers: Signers }[] };
    }[];
  };
  const [chain] = document.plugins.find(({ use }) => use.endsWith('svm'))?.options.chains ?? [];
  if (chain === undefined) throw new Error('no such chain');
  chain.signers = to(chain.signers);
  world.home.write(document);
}

const quoted = () => world.order({ from: world.evm, to: world.s, amount: ETHER });
const pay = (order: Awaited<ReturnType<typeof quoted>>) => order.from.pay(order.payer, order.quote);

async function paid(): Promise<Order> {
  const order = await quoted();
  await pay(order);
  return order;
}

/** Who paid the fee of the one transaction that paid the recipient. */
async function fillerOf({ recipient, amountOut, to }: Order): Promise<string | undefined> {
  expect(await to.balance(recipient, 'SOL')).toBe(amountOut);
  const listed = await call<readonly { readonly signature: string }[]>(world.s.url, 'getSignaturesForAddress', [
    recipient,
    { commitment: 'confirmed' },
  ]);
  expect(listed).toHaveLength(1);
  const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const { transaction } = await call<{
    readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
  }>(world.s.url, 'getTransaction', [listed[0]?.signature, options]);
  return transaction.message.accountKeys[0];
}

interface Audit {
  readonly balanced: boolean;
  readonly unsettled: number;
  readonly lanes: readonly { readonly openKeys: number; readonly halted: string | null }[];
}

describe('a fill signer that is replaced while its payments are open', () => {
  let stuck: Order;
  let unsigned: Order;
  let old: string;

  it('is refused by start, which names what is open and how to go on', async () => {
    world.proxy(world.s).plan = ({ method }) => (method === 'sendTransaction' ? { result: 'lost' } : 'pass');
    // Payments to a paused chain are owed, and not signed.
    const later = await quoted();
    unsigned = later;
    stuck = await paid();
    await world.becomes(stuck, 'submitted');
    expect((await causeway('pause', '--chain', String(world.s.id))).code).toBe(0);
    await pay(later);
    await world.becomes(unsigned, 'pending');
    await world.service.kill();
    world.proxy(world.s).heal();
    world.home.secret('keys/svm-new', NEW.privateKey);
    rotate(({ fill, ...others }) => {
      old = fill;
      return { ...others, fill: 'file:keys/svm-new' };
    });
    await call(world.s.url, 'requestAirdrop', [NEW.address, 100 * 10 ** 9]);
    const start = await causeway('start', world.config);
    expect(start.code).toBe(78);
    expect(start.output).toMatch(/payments of lane .* whose signer is not configured any more/);
    expect(start.output).toContain('signers.former');
  }, 120_000);

  it('completes them as former signer, each once; the new one fills what is new', async () => {
    rotate((signers) => ({ ...signers, former: [old] }));
    const ready = await causeway('setup', world.config, '--chain', String(world.s.id));
    expect(ready, ready.output).toMatchObject({ code: 0 });
    await world.boot();
    await world.becomes(stuck, 'success', 90_000);
    expect((await causeway('resume', '--chain', String(world.s.id))).code).toBe(0);
    await world.becomes(unsigned, 'success', 60_000);
    const fresh = await paid();
    await world.becomes(fresh, 'success', 60_000);
    expect(await fillerOf(stuck)).toBe(former);
    expect(await fillerOf(unsigned)).toBe(former);
    expect(await fillerOf(fresh)).toBe(NEW.address);
  }, 240_000);

  it('can be removed once nothing is open for it, and the books balance', async () => {
    const clean = await until(
      'nothing is open',
      async () => {
        await world.evm.advance();
        const now = JSON.parse((await causeway('audit', world.config, '--json')).output) as Audit;
        return now.balanced && now.unsettled === 0 && now.lanes.every(({ openKeys }) => openKeys === 0)
          ? now
          : undefined;
      },
      { every: 500, ms: 60_000 },
    );
    expect(clean.lanes.map(({ halted }) => halted).filter((halted) => halted !== null)).toEqual([]);
    await world.service.stop();
    rotate(({ former: _, ...signers }) => signers);
    expect((await causeway('doctor', world.config)).output).not.toMatch(/owed:/);
    await world.boot();
    const fresh = await paid();
    await world.becomes(fresh, 'success', 60_000);
    expect(await fillerOf(fresh)).toBe(NEW.address);
  }, 180_000);
});
