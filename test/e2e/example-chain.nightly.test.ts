import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Devnet, DevnetAccount, DevnetSeedResult } from '@causeway/core';
import { freePorts } from '@causeway/core/testing';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devnet as example } from '../fixtures/example-chain/src/devnet.js';
import { filledBy } from '../fixtures/example-chain/src/movements.js';
import type { HistoryPage, Included } from '../fixtures/example-chain/src/node-types.js';
import { askNode } from '../fixtures/example-chain/src/wallet.js';
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

/** SIGKILL. The supervisor restarts the service; the chains are unaffected. */
async function killService(): Promise<void> {
  const pid = devnetFile()?.pid ?? 0;
  process.kill(pid, 'SIGKILL');
  await until('the service is gone', () => !lives(pid));
}

function sideOf(found: DevnetFile, id: number, wallet: Devnet, user: number): Side {
  const chain = found.chains.find((one) => one.id === id);
  const payer = found.accounts.filter(({ vmType }) => vmType === chain?.vmType)[user];
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
  await until(`${requestId} is ${status}`, async () => (await ask()) === status, { ms: 90_000 });
}

async function sentBy(account: string): Promise<readonly Included[]> {
  const url = here.chain.rpcUrl;
  return (await askNode<HistoryPage>(url, `/accounts/${account}/transactions?sent=1`)).transactions;
}

describe('the example chain next to EVM', () => {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'causeway-example-'));
    const port = String(await freePorts());
    dev = new Running(['dev', join(ROOT, 'config', 'example-chain.yaml')], { PORT: port }, home);
    const found = await up();
    rest = new Rest(found.baseUrl, found.apiKey, found.adminKey);
    here = sideOf(found, 990001, example, 0);
    there = sideOf(found, 31337, evm, 0);
  }, 90_000);
  afterAll(async () => {
    if (dev?.alive === true) {
      dev.signalGroup('SIGINT');
      await dev.end('after the tests', 30_000).catch(() => {});
    }
    await endAll();
    rmSync(home, { recursive: true, force: true });
  }, 60_000);

  it('lists it with the word of its own family, which no client knows', async () => {
    const { chains } = (await (await fetch(`${rest.baseUrl}/chains`)).json()) as {
      readonly chains: readonly { readonly id: number; readonly vmType: string }[];
    };
    expect(chains.find(({ id }) => id === here.chain.id)?.vmType).toBe('examplevm');
    expect(chains.find(({ id }) => id === there.chain.id)?.vmType).toBe('evm');
  });

  it('pays out there what is deposited on EVM, once, though the service is killed in between', async () => {
    const before = await here.balance(here.payer.address, 'XMP');
    const { quote, requestId, amountOut } = await quoted(there, here, 'ETH', 'XMP', 10n ** 17n);
    await paid(there, quote);
    await killService();
    await ends(requestId, 'success');
    expect((await here.balance(here.payer.address, 'XMP')) - before).toBe(amountOut);
    const fills = (await sentBy(here.chain.contracts['inventory'] ?? '')).flatMap(filledBy);
    expect(fills).toHaveLength(1);
  }, 120_000);

  it('pays out on EVM what is deposited there, once, though the service is killed in between', async () => {
    const before = await there.balance(there.payer.address, 'USDC');
    const vault = here.chain.contracts['depository'] ?? '';
    const { quote, requestId, amountOut } = await quoted(here, there, 'USDX', 'USDC', 500_000_000n);
    await paid(here, quote);
    await killService();
    await ends(requestId, 'success');
    expect((await there.balance(there.payer.address, 'USDC')) - before).toBe(amountOut);
    await until('the deposit is collected', async () => (await here.balance(vault, 'USDX')) === 0n, { ms: 60_000 });
  }, 120_000);

  it('refunds a deposit out of the vault, once, though the service is killed in between', async () => {
    const vault = here.chain.contracts['depository'] ?? '';
    const before = await here.balance(here.payer.address, 'USDX');
    const amount = 300_000_000n;
    const { quote, requestId } = await quoted(here, there, 'USDX', 'USDC', amount, { referrer: 'debug-force-refund' });
    await paid(here, quote);
    await killService();
    await ends(requestId, 'refund');
    const [back, ...more] = (await sentBy(vault)).filter(({ tx }) => tx.transfers?.[0]?.to === here.payer.address);
    expect(more).toEqual([]);
    expect(back?.ok).toBe(true);
    const [payment] = back?.tx.transfers ?? [];
    // All but the refund's cost.
    expect(BigInt(payment?.amount ?? 0)).toBeGreaterThan(amount - 10_000n);
    expect(before - (await here.balance(here.payer.address, 'USDX'))).toBe(amount - BigInt(payment?.amount ?? 0));
  }, 120_000);

  it('keeps books that agree with both chains, and a config that doctor finds nothing wrong with', async () => {
    await until('the books balance', async () => (await rest.audit().catch(() => undefined))?.balanced === true, {
      ms: 60_000,
      seen: () => dev.output.slice(-1_000),
    });
    const audit = await rest.audit();
    expect([audit.unsettled, audit.lanes.filter(({ halted }) => halted !== null)]).toEqual([0, []]);
    const resolved = join(home, '.causeway', 'config.yaml');
    const doctor = new Running(['doctor', resolved], {}, home);
    const { code } = await doctor.end('having looked', 30_000);
    expect(code, doctor.output).toBe(0);
  }, 120_000);
});
