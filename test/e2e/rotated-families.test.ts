import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restFaultProxy } from '@causeway/core/testing';
import { newAccount } from '@causeway/plugin-svm/devnet';
import { Address } from '@ton/core';
import { parseUnits } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publicAccount } from '../../plugins/tonvm/src/devnet/accounts.js';
import { dev } from '../../plugins/tonvm/src/devnet/dev.js';
import { submit, userClient } from '../../plugins/tonvm/src/devnet/wallet.js';
import { ADMIN_KEY } from '../support/config.js';
import type { Side } from '../support/families/side.js';
import { call } from '../support/families/svm-history.js';
import { startTon } from '../support/families/ton-side.js';
import { FamiliesWorld, type Order } from '../support/families/world.js';
import { Running } from '../support/service.js';
import { until } from '../support/until.js';

const ETHER = parseUnits('0.1', 18);
const TUNING = { collectMinUsd: '1000000000', orderTtl: '300s' } as const;

interface Signers {
  readonly fill: string;
  readonly former?: readonly string[];
}

/** A chain without a contract: the histories of the signers alone show what was paid. */
interface Ground {
  readonly world: FamiliesWorld;
  readonly side: Side & { readonly url: string };
  readonly plugin: string;
  /** Of the new fill signer. */
  readonly key: { readonly address: string; readonly privateKey: string };
  /** What is sent from now on reaches no node. */
  lose(): void;
  heal(): void;
  /** Fills the new signer's account, before the service starts with it. */
  ready(): Promise<void>;
  /** Signers of the transactions that paid it. */
  payersOf(recipient: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

async function solana(): Promise<Ground> {
  const world = await FamiliesWorld.start({ svm: 1, proxied: true, ...TUNING });
  const [side, key] = [world.s, newAccount()];
  const ask = <T>(method: string, ...params: readonly unknown[]) => call<T>(side.url, method, [...params]);
  return {
    ...{ world, side, key, plugin: '@causeway/plugin-svm' },
    lose: () => {
      world.proxy(side).plan = ({ method }) => (method === 'sendTransaction' ? { result: 'lost' } : 'pass');
    },
    heal: () => world.proxy(side).heal(),
    ready: async () => {
      await ask('requestAirdrop', key.address, 100 * 10 ** 9);
      const done = await causeway(world, 'setup', world.config, '--chain', String(side.id));
      expect(done, done.output).toMatchObject({ code: 0 });
    },
    payersOf: async (recipient) => {
      const shown = { commitment: 'confirmed' };
      const listed = await ask<readonly { signature: string }[]>('getSignaturesForAddress', recipient, shown);
      const read = { ...shown, encoding: 'json', maxSupportedTransactionVersion: 0 };
      type Shown = { readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } } };
      const all = await Promise.all(listed.map(({ signature }) => ask<Shown>('getTransaction', signature, read)));
      return all.map(({ transaction }) => transaction.message.accountKeys[0] ?? '');
    },
    close: () => world.close(),
  };
}

const THETA = {
  ...{ id: 224235520, name: 'theta', displayName: 'theta', rpc: 'devnet' },
  ...{ blockTimeMs: 250, messageLifeS: 10, pollMs: 50, localPrices: 'network' },
};

async function ton(): Promise<Ground> {
  const dir = mkdtempSync(join(tmpdir(), 'causeway-ton-'));
  const { side, options, stop } = await startTon({ chains: [THETA] }, dir);
  const { origin } = new URL(side.url);
  const proxy = await restFaultProxy(origin);
  const [chain] = (options as { readonly chains: readonly object[] }).chains;
  const rpc = [{ http: side.url.replace(origin, proxy.url), perSecond: 0 }];
  const world = await FamiliesWorld.start({
    ...{ svm: 0, plugins: [{ use: '@causeway/plugin-tonvm', options: { chains: [{ ...chain, rpc }] } }], ...TUNING },
    edit: (document) => {
      const plugins = document['plugins'] as { readonly use: string; readonly options: { prices: object } }[];
      const prices = plugins.find(({ use }) => use === 'builtin:static-prices');
      if (prices) prices.options.prices = { ...prices.options.prices, toncoin: '3' };
      return document;
    },
  });
  const { privateKey, signer } = publicAccount('new filler');
  return {
    ...{ world, side, key: { privateKey, address: signer.address }, plugin: '@causeway/plugin-tonvm' },
    lose: () => {
      const taken = { status: 200, body: JSON.stringify({ ok: true, result: { '@type': 'ok' } }) };
      proxy.plan = ({ body }) => (body.includes('"sendBoc"') ? taken : 'pass');
    },
    heal: () => proxy.heal(),
    ready: async () => {
      await dev(origin, 'faucet', { address: signer.raw, amount: `${1_000n * 10n ** 9n}` });
      await dev(origin, 'settle');
      await submit(side.url, signer, []);
    },
    payersOf: async (recipient) => {
      const found = await userClient(side.url).getTransactions(Address.parse(recipient), { limit: 20 });
      return found.map(({ inMessage }) => {
        const { src } = inMessage?.info ?? {};
        return src instanceof Address ? src.toString({ bounceable: false, urlSafe: true }) : '';
      });
    },
    close: async () => {
      await world.close();
      await Promise.all([stop(), proxy.close()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function causeway(world: FamiliesWorld, ...args: string[]) {
  const env = { CAUSEWAY_URL: world.rest.baseUrl, CAUSEWAY_ADMIN_KEY: ADMIN_KEY };
  const process = new Running(args, env, world.home.dir);
  const { code } = await process.end(`of causeway ${args.join(' ')}`, 40_000);
  return { code, output: process.output };
}

function rotate({ world, plugin }: Ground, to: (before: Signers) => Signers): void {
  const document = JSON.parse(readFileSync(world.config, 'utf8')) as {
    readonly plugins: readonly {
      readonly use: string;
      readonly options: { readonly chains: { signers: Signers }[] };
    }[];
  };
  const [chain] = document.plugins.find(({ use }) => use === plugin)?.options.chains ?? [];
  if (chain === undefined) throw new Error('no such chain');
  chain.signers = to(chain.signers);
  world.home.write(document);
}

interface Audit {
  readonly balanced: boolean;
  readonly unsettled: number;
  readonly lanes: readonly { readonly openKeys: number; readonly halted: string | null }[];
}

describe.each([
  { family: 'a Solana-type chain', open: solana },
  { family: 'TON', open: ton },
])('a fill signer of $family that is replaced while its payments are open', ({ open }) => {
  let ground: Ground;
  let world: FamiliesWorld;
  let former: string;
  let stuck: Order;
  let unsigned: Order;
  let old: string;

  beforeAll(async () => {
    ground = await open();
    world = ground.world;
    former = ground.side.solver;
  }, 120_000);
  afterAll(async () => {
    await ground?.close();
  });

  const quoted = () => world.order({ from: world.evm, to: ground.side, amount: ETHER });
  const pay = (order: Awaited<ReturnType<typeof quoted>>) => order.from.pay(order.payer, order.quote);
  const paid = async (): Promise<Order> => {
    const order = await quoted();
    await pay(order);
    return order;
  };
  const isPaidBy = async ({ recipient, amountOut, output, to }: Order, signer: string): Promise<void> => {
    expect(await to.balance(recipient, output)).toBe(amountOut);
    expect(await ground.payersOf(recipient)).toEqual([signer]);
  };

  it('is refused by start, which names what is open and how to go on', async () => {
    ground.lose();
    const later = await quoted();
    unsigned = later;
    stuck = await paid();
    await world.becomes(stuck, 'submitted');
    // Payments to a paused chain are owed, and not signed.
    expect((await causeway(world, 'pause', '--chain', String(ground.side.id))).code).toBe(0);
    await pay(later);
    await world.becomes(unsigned, 'pending');
    await world.service.kill();
    ground.heal();
    world.home.secret('keys/fill-new', ground.key.privateKey);
    rotate(ground, ({ fill, ...others }) => {
      old = fill;
      return { ...others, fill: 'file:keys/fill-new' };
    });
    const start = await causeway(world, 'start', world.config);
    expect(start.code).toBe(78);
    expect(start.output).toMatch(/payments of lane .* whose signer is not configured any more/);
    expect(start.output).toContain('signers.former');
  }, 120_000);

  it('completes them as former signer, each once; the new one fills what is new', async () => {
    rotate(ground, (signers) => ({ ...signers, former: [old] }));
    await ground.ready();
    await world.boot();
    // First: on a slow machine the message has expired by now, and a paused chain signs no other.
    expect((await causeway(world, 'resume', '--chain', String(ground.side.id))).code).toBe(0);
    await world.becomes(stuck, 'success', 90_000);
    await world.becomes(unsigned, 'success', 60_000);
    const fresh = await paid();
    await world.becomes(fresh, 'success', 60_000);
    await isPaidBy(stuck, former);
    await isPaidBy(unsigned, former);
    await isPaidBy(fresh, ground.key.address);
  }, 240_000);

  it('can be removed once nothing is open for it, and the books balance', async () => {
    const clean = await until(
      'nothing is open',
      async () => {
        await world.evm.advance();
        const now = JSON.parse((await causeway(world, 'audit', world.config, '--json')).output) as Audit;
        return now.balanced && now.unsettled === 0 && now.lanes.every(({ openKeys }) => openKeys === 0)
          ? now
          : undefined;
      },
      { every: 500, ms: 60_000 },
    );
    expect(clean.lanes.map(({ halted }) => halted).filter((halted) => halted !== null)).toEqual([]);
    await world.service.stop();
    rotate(ground, ({ former: _, ...signers }) => signers);
    expect((await causeway(world, 'doctor', world.config)).output).not.toMatch(/owed:/);
    await world.boot();
    const fresh = await paid();
    await world.becomes(fresh, 'success', 60_000);
    await isPaidBy(fresh, ground.key.address);
  }, 180_000);
});
