import { join } from 'node:path';
import type { DevnetSeedResult } from '@causeway/core';
import { devnet, newAccount } from '@causeway/plugin-svm/devnet';
import { NO_ADDRESSES, type PaidAddresses } from '../deposit-addresses.js';
import type { ChainHistory } from '../history.js';
import type { Inventory, Pot } from '../oracle.js';
import type { Quote } from '../rest.js';
import { startNodes } from './local-nodes.js';
import type { Payer, PayingSide } from './side.js';
import { call, readSvmHistory, signatures, type Watched } from './svm-history.js';

export interface SvmPayer extends Payer {
  readonly vmType: string;
  readonly privateKey: string;
}

/** Without the token with a transfer fee, which does not arrive in full. */
const SYMBOLS = ['SOL', 'USDC'] as const;

export interface SvmNodes {
  readonly options: unknown;
  readonly sides: readonly SvmSide[];
  stop(): Promise<void>;
}

export async function startSvm(options: unknown, keysDir: string): Promise<SvmNodes> {
  const { seeded, stop } = await startNodes(devnet, options, { stateDir: keysDir, keysDir: join(keysDir, 'svm') });
  try {
    const sides = await Promise.all(seeded.chains.map((chain) => SvmSide.of(chain, seeded)));
    return { options: seeded.options, sides, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type SeededChain = DevnetSeedResult['chains'][number];

export class SvmSide implements PayingSide<SvmPayer> {
  readonly coin = 'SOL';
  readonly decimals = 9;
  private turn = 0;

  private constructor(
    private readonly chain: SeededChain,
    private readonly users: readonly SvmPayer[],
    private readonly watched: Watched,
    private readonly before: { readonly known: ReadonlyMap<string, string>; readonly pots: readonly Pot[] },
  ) {}

  static async of(chain: SeededChain, { accounts }: DevnetSeedResult): Promise<SvmSide> {
    const { depository: vault = '', inventory: fill = '' } = chain.contracts;
    const watched = { id: chain.id, url: chain.rpcUrl, fill, vault };
    const empty = new SvmSide(chain, accounts, watched, { known: new Map(), pots: [] });
    const pots = (await empty.pots()).map((pot) => ({ ...pot, before: pot.now }));
    return new SvmSide(chain, accounts, watched, { known: await signatures(watched), pots });
  }

  get id(): number {
    return this.chain.id;
  }

  get name(): string {
    return this.chain.name;
  }

  get url(): string {
    return this.chain.rpcUrl;
  }

  /** One port above the other. */
  get wsUrl(): string {
    const { hostname, port } = new URL(this.url);
    return `ws://${hostname}:${Number(port) + 1}`;
  }

  get solver(): string {
    return this.watched.fill;
  }

  currency(symbol: string): string {
    const found = this.chain.currencies.find((one) => one.symbol === symbol);
    if (found === undefined) throw new Error(`no currency ${symbol} on ${this.name}`);
    return found.address;
  }

  balance(owner: string, symbol: string): Promise<bigint> {
    return devnet.balance(this.url, owner, this.currency(symbol));
  }

  newAddress(): string {
    return newAccount().address;
  }

  /** All of them hold everything. */
  async payer(): Promise<SvmPayer> {
    const user = this.users[this.turn++ % this.users.length];
    if (user === undefined) throw new Error('no users');
    return user;
  }

  async pay(payer: SvmPayer, quote: Quote): Promise<string> {
    const items = quote.steps.flatMap((step) => step.items);
    let last: string | undefined;
    for (const { data } of items) last = await this.send(payer, data);
    if (last === undefined) throw new Error('the quote has no steps');
    return last;
  }

  send(payer: SvmPayer, data: unknown): Promise<string> {
    return devnet.sendStep(payer, this.url, data as Readonly<Record<string, unknown>>);
  }

  /** Slots go by themselves. */
  async advance(): Promise<void> {}

  /** No slot begins and nothing expires until `goOn`. */
  async standStill(): Promise<void> {
    await call(this.url, 'surfnet_pauseClock', []);
  }

  async goOn(): Promise<void> {
    await call(this.url, 'surfnet_resumeClock', []);
  }

  history(addresses: PaidAddresses = NO_ADDRESSES): Promise<ChainHistory> {
    return readSvmHistory(this.watched, this.before.known, addresses);
  }

  inventory(): Promise<readonly Omit<Inventory, 'before'>[]> {
    return this.ofEach([this.watched.fill]);
  }

  async pots(addresses: PaidAddresses = NO_ADDRESSES): Promise<readonly Pot[]> {
    const now = await this.ofEach([this.watched.vault, ...addresses.keys()]);
    return now.map((pot) => {
      const before = this.before.pots.find(({ token }) => token === pot.token)?.before;
      return before === undefined ? pot : { ...pot, before };
    });
  }

  async waiting(): Promise<number> {
    return 0;
  }

  private ofEach(owners: readonly string[]) {
    return Promise.all(
      SYMBOLS.map(async (symbol) => {
        const all = await Promise.all(owners.map((owner) => this.balance(owner, symbol)));
        const now = all.reduce((sum, one) => sum + one, 0n);
        return { chainId: this.id, token: this.currency(symbol), now };
      }),
    );
  }
}
