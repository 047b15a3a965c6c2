import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Devnet, DevnetAccount, DevnetSeedResult } from '@causeway/core';
import { freePorts } from '@causeway/core/testing';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { devnet as ton } from '@causeway/plugin-tonvm/devnet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lives } from '../support/processes.js';
import { ROOT } from '../support/repository.js';
import { type Quote, Rest, requestIdOf } from '../support/rest.js';
import { endAll, Running } from '../support/service.js';
import { until } from '../support/until.js';

interface DevnetFile extends Pick<DevnetSeedResult, 'chains' | 'accounts'> {
  readonly baseUrl: string;
  readonly pid: number;
  readonly apiKey: string;
  readonly adminKey: string;
}

interface Side {
  readonly chain: DevnetFile['chains'][number];
  readonly wallet: Devnet;
  readonly payer: DevnetAccount;
  currency(symbol: string): string;
  balance(owner: string, symbol: string): Promise<bigint>;
}

let home: string;
let dev: Running;
let rest: Rest;
let here: Side;
let there: Side;

const devnetFile = (): DevnetFile | undefined => {
  const path = join(home, '.causeway', 'devnet.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as DevnetFile) : undefined;
};

async function up(): Promise<DevnetFile> {
  return await until(
    'the local build is up',
    async () => {
      if (!dev.alive) throw new Error(`it ended: ${dev.output}`);
      const found = devnetFile();
      const answer = found && (await fetch(`${found.baseUrl}/lives`).catch(() => undefined));
      return answer?.ok === true ? found : undefined;
    },
    { ms: 60_000, seen: () => dev.output.slice(-2_000) },
  );
}

/** As an out-of-memory killer does. The supervisor starts the service again; the chains do not notice. */
async function killService(): Promise<void> {
  const pid = devnetFile()?.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  await until('the service is gone', () => !lives(pid));
}

function sideOf(found: DevnetFile, id: number, wallet: Devnet): Side {
  const chain = found.chains.find((one) => one.id === id);
  const payer = found.accounts.find(({ vmType }) => vmType === chain?.vmType);
  if (chain === undefined || payer === undefined) throw new Error(`no chain ${id}`);
  const currency = (symbol: string) => {
    const one = chain.currencies.find((each) => each.symbol === symbol);
    if (one === undefined) throw new Error(`${chain.name} has no ${symbol}`);
    return one.address;
  };
  const balance = (owner: string, symbol: string) => wallet.balance(chain.rpcUrl, owner, currency(symbol));
  return { chain, wallet, payer, currency, balance };
}

async function quoted(from: Side, to: Side, input: string, output: string, amount: bigint, more: object = {}) {
  const quote = await rest.quote({
    ...{ user: from.payer.address, recipient: to.payer.address, refundTo: from.payer.address },
    ...{ originChainId: from.chain.id, destinationChainId: to.chain.id, tradeType: 'EXACT_INPUT' },
    ...{ originCurrency: from.currency(input), destinationCurrency: to.currency(output), amount: amount.toString() },
    ...more,
  });
  return { quote, requestId: requestIdOf(quote), amountOut: BigInt(quote.details.currencyOut.amount) };
}

async function paid(from: Side, { steps }: Quote): Promise<void> {
  for (const { items } of steps)
    for (const { data } of items)
      await from.wallet.sendStep(from.payer, from.chain.rpcUrl, data as unknown as Readonly<Record<string, unknown>>);
}

async function ends(requestId: string, status: string): Promise<void> {
  const ask = async () => (await rest.status(requestId).catch(() => undefined))?.status;
  await until(`${requestId} is ${status}`, async () => (await ask()) === status, {
    ms: 90_000,
    seen: () => dev.output.slice(-3_000),
  });
}

describe('TON beside EVM', () => {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'causeway-ton-'));
    const port = String(await freePorts());
    dev = new Running(['dev', join(ROOT, 'config', 'ton.yaml')], { PORT: port }, home);
    const found = await up();
    rest = new Rest(found.baseUrl, found.apiKey, found.adminKey);
    here = sideOf(found, 224235520, ton);
    there = sideOf(found, 31337, evm);
  }, 90_000);
  afterAll(async () => {
    if (dev?.alive === true) {
      dev.signalGroup('SIGINT');
      await dev.end('after the tests', 30_000).catch(() => {});
    }
    await endAll();
    rmSync(home, { recursive: true, force: true });
  }, 60_000);

  it('pays out coins there that were deposited on EVM, though the service is killed in between', async () => {
    const before = await here.balance(here.payer.address, 'TON');
    const { quote, requestId, amountOut } = await quoted(there, here, 'ETH', 'TON', 10n ** 16n);
    await paid(there, quote);
    await killService();
    await ends(requestId, 'success');
    const gained = (await here.balance(here.payer.address, 'TON')) - before;
    // A wallet with code pays for its work when it is paid.
    expect(gained <= amountOut && gained > amountOut - 1_000_000n).toBe(true);
  }, 120_000);

  it('pays out jettons there, to the unit', async () => {
    const before = await here.balance(here.payer.address, 'USDT');
    const { quote, requestId, amountOut } = await quoted(there, here, 'USDC', 'USDT', 50_000_000n);
    await paid(there, quote);
    await ends(requestId, 'success');
    expect((await here.balance(here.payer.address, 'USDT')) - before).toBe(amountOut);
  }, 120_000);

  it('pays out on EVM what is deposited there, in coins and in jettons, though the service is killed in between', async () => {
    for (const [input, amount] of [
      ['USDT', 50_000_000n],
      ['TON', 20n * 10n ** 9n],
    ] as const) {
      const before = await there.balance(there.payer.address, 'USDC');
      const { quote, requestId, amountOut } = await quoted(here, there, input, 'USDC', amount);
      await paid(here, quote);
      await killService();
      await ends(requestId, 'success');
      expect((await there.balance(there.payer.address, 'USDC')) - before).toBe(amountOut);
    }
    const vault = here.chain.contracts['depository'] ?? '';
    await until('the deposit is collected', async () => (await here.balance(vault, 'USDT')) === 0n, { ms: 60_000 });
  }, 240_000);

  it('pays a deposit of jettons back out of the depository, once, though the service is killed in between', async () => {
    const before = await here.balance(here.payer.address, 'USDT');
    const amount = 30_000_000n;
    const { quote, requestId } = await quoted(here, there, 'USDT', 'USDC', amount, { referrer: 'debug-force-refund' });
    await paid(here, quote);
    await killService();
    await ends(requestId, 'refund');
    const lost = before - (await here.balance(here.payer.address, 'USDT'));
    // The price of paying it back.
    expect(lost > 0n && lost < 1_000_000n).toBe(true);
  }, 120_000);
});
