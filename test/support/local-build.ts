import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Devnet, DevnetAccount, DevnetSeedResult } from '@causeway/core';
import { freePorts } from '@causeway/core/testing';
import { descendants, lives } from './processes.js';
import { ROOT } from './repository.js';
import { type Quote, Rest, requestIdOf } from './rest.js';
import { Running } from './service.js';
import { until } from './until.js';

interface DevnetFile extends Pick<DevnetSeedResult, 'chains' | 'accounts'> {
  readonly baseUrl: string;
  readonly pid: number;
  readonly apiKey: string;
  readonly adminKey: string;
}

export interface LocalSide {
  readonly chain: DevnetFile['chains'][number];
  /** Funded; each test shares them out. */
  readonly accounts: readonly DevnetAccount[];
  /** @throws where the chain has no such symbol. */
  currency(symbol: string): string;
  balance(owner: string, symbol: string): Promise<bigint>;
  /** All steps, each sent after the previous one is included. Resolves with the last hash. */
  pay(payer: DevnetAccount, quote: Quote): Promise<string>;
}

/** @throws where there are fewer accounts. */
export function accountOf(side: LocalSide, n: number): DevnetAccount {
  const account = side.accounts[n];
  if (account === undefined) throw new Error(`${side.chain.name} has no account ${n}`);
  return account;
}

export interface Wish {
  readonly from: LocalSide;
  readonly to: LocalSide;
  readonly input: string;
  readonly output: string;
  /** Smallest unit of the side that the trade type fixes. */
  readonly amount: bigint;
  readonly payer: DevnetAccount;
  readonly recipient: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Promised {
  readonly quote: Quote;
  readonly requestId: string;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** `causeway dev` in its own folder, with a config of this repository. */
export class LocalBuild {
  readonly #home: string;
  readonly #dev: Running;
  readonly #found: DevnetFile;
  readonly rest: Rest;

  private constructor(home: string, dev: Running, found: DevnetFile) {
    this.#home = home;
    this.#dev = dev;
    this.#found = found;
    this.rest = new Rest(found.baseUrl, found.apiKey, found.adminKey);
  }

  /**
   * @param change of the config's text.
   * @param env of all its processes.
   */
  static async start(
    config: string,
    change: (text: string) => string = (text) => text,
    env: Readonly<Record<string, string>> = {},
  ): Promise<LocalBuild> {
    const home = mkdtempSync(join(tmpdir(), 'causeway-local-'));
    symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
    writeFileSync(join(home, config), change(readFileSync(join(ROOT, 'config', config), 'utf8')));
    const dev = new Running(['dev', config], { ...env, PORT: String(await freePorts()) }, home);
    const found = await until('the local build is up', () => answering(home, dev), {
      ms: 90_000,
      seen: () => dev.output.slice(-2_000),
    });
    return new LocalBuild(home, dev, found);
  }

  get output(): string {
    return this.#dev.output;
  }

  get servicePid(): number {
    return fileOf(this.#home)?.pid ?? Number.NaN;
  }

  /** Of the local chains and their supervisors. */
  get chainPids(): readonly number[] {
    return descendants(this.#dev.pid).filter((pid) => pid !== this.servicePid);
  }

  side(chainId: number, wallet: Devnet): LocalSide {
    const chain = this.#found.chains.find(({ id }) => id === chainId);
    if (chain === undefined) throw new Error(`no chain ${chainId}: ${this.output.slice(0, 2_000)}`);
    const currency = (symbol: string) => {
      const one = chain.currencies.find((each) => each.symbol === symbol);
      if (one === undefined) throw new Error(`${chain.name} has no ${symbol}`);
      return one.address;
    };
    return {
      ...{ chain, currency, accounts: this.#found.accounts.filter(({ vmType }) => vmType === chain.vmType) },
      balance: (owner, symbol) => wallet.balance(chain.rpcUrl, owner, currency(symbol)),
      pay: async (payer, { steps }) => {
        let hash = '';
        for (const { items } of steps)
          for (const { data } of items) hash = await wallet.sendStep(payer, chain.rpcUrl, { ...data });
        return hash;
      },
    };
  }

  /** Asked for with the key of the local build's integrator. */
  async quote({ from, to, input, output, amount, payer, recipient, body }: Wish): Promise<Promised> {
    const ask = {
      ...{ user: payer.address, recipient, refundTo: payer.address, tradeType: 'EXACT_INPUT' },
      ...{ originChainId: from.chain.id, destinationChainId: to.chain.id, amount: amount.toString() },
      ...{ originCurrency: from.currency(input), destinationCurrency: to.currency(output) },
      ...body,
    };
    const quote = await this.rest.quote(ask, this.rest.apiKey);
    const { currencyIn, currencyOut } = quote.details;
    const amounts = { amountIn: BigInt(currencyIn.amount), amountOut: BigInt(currencyOut.amount) };
    return { quote, requestId: requestIdOf(quote), ...amounts };
  }

  async ends(requestId: string, status: string, ms = 90_000): Promise<void> {
    const ask = async () => (await this.rest.status(requestId).catch(() => undefined))?.status;
    await until(`${requestId} is ${status}`, async () => (await ask()) === status, {
      ms,
      seen: () => this.output.slice(-3_000),
    });
  }

  /** SIGKILL. The supervisor restarts the service; the chains are unaffected. */
  async killService(): Promise<void> {
    const pid = this.servicePid;
    process.kill(pid, 'SIGKILL');
    await until('the service is gone', () => !lives(pid));
  }

  async stop(): Promise<void> {
    if (this.#dev.alive) {
      this.#dev.signalGroup('SIGINT');
      await this.#dev.end('after the tests', 30_000).catch(() => {});
    }
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function fileOf(home: string): DevnetFile | undefined {
  const path = join(home, '.causeway', 'devnet.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as DevnetFile) : undefined;
}

async function answering(home: string, dev: Running): Promise<DevnetFile | undefined> {
  if (!dev.alive) throw new Error(`it ended: ${dev.output}`);
  const found = fileOf(home);
  const answer = found && (await fetch(`${found.baseUrl}/lives`).catch(() => undefined));
  return answer?.ok === true ? found : undefined;
}
