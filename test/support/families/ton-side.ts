import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { DevnetSeedResult } from '@causeway/core';
import { devnet } from '@causeway/plugin-tonvm/devnet';
import { Address } from '@ton/core';
import { NO_ADDRESSES, type PaidAddresses } from '../deposit-addresses.js';
import type { ChainHistory } from '../history.js';
import type { Inventory, Pot } from '../oracle.js';
import type { Quote } from '../rest.js';
import { startNodes } from './local-nodes.js';
import type { Payer, PayingSide } from './side.js';
import { NATIVE, TonChain } from './ton-chain.js';
import { accountsOf, TonHistory, type Watched } from './ton-history.js';

export interface TonPayer extends Payer {
  readonly vmType: string;
  readonly privateKey: string;
}

type SeededChain = DevnetSeedResult['chains'][number];

export interface TonNode {
  readonly options: unknown;
  readonly side: TonSide;
  stop(): Promise<void>;
}

export async function startTon(options: unknown, keysDir: string): Promise<TonNode> {
  const { seeded, stop } = await startNodes(devnet, options, { stateDir: keysDir, keysDir: join(keysDir, 'ton') });
  try {
    const [chain] = seeded.chains;
    if (chain === undefined) throw new Error('a chain was asked for');
    return { options: seeded.options, side: await TonSide.of(chain, seeded.accounts), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Blocks come by themselves. */
export class TonSide implements PayingSide<TonPayer> {
  readonly decimals = 9;
  #turn = 0;

  private constructor(
    private readonly seeded: SeededChain,
    private readonly users: readonly TonPayer[],
    private readonly chain: TonChain,
    private readonly reported: TonHistory,
    private readonly before: readonly Pot[],
  ) {}

  static async of(seeded: SeededChain, users: readonly TonPayer[]): Promise<TonSide> {
    const chain = new TonChain(seeded.rpcUrl);
    const watched = watchedOf(seeded);
    const accounts = await accountsOf(chain, watched);
    const lasts = await Promise.all(accounts.map(async (one) => [one, await chain.lastOf(one)] as const));
    const reported = new TonHistory(chain, watched, new Map(lasts));
    const empty = new TonSide(seeded, users, chain, reported, []);
    const pots = (await empty.pots()).map((pot) => ({ ...pot, before: pot.now }));
    return new TonSide(seeded, users, chain, reported, pots);
  }

  get id(): number {
    return this.seeded.id;
  }

  get name(): string {
    return this.seeded.name;
  }

  get coin(): string {
    return this.seeded.currencies[0]?.symbol ?? '';
  }

  get url(): string {
    return this.seeded.rpcUrl;
  }

  get solver(): string {
    return this.seeded.contracts['inventory'] ?? '';
  }

  get depository(): string {
    return this.seeded.contracts['depository'] ?? '';
  }

  currency(symbol: string): string {
    const found = this.seeded.currencies.find((one) => one.symbol === symbol);
    if (found === undefined) throw new Error(`no currency ${symbol} on ${this.name}`);
    return found.address;
  }

  balance(owner: string, symbol: string): Promise<bigint> {
    return this.held(rawOf(owner), this.currency(symbol));
  }

  private held(owner: string, currency: string): Promise<bigint> {
    return currency === NATIVE ? this.chain.coins(owner) : this.chain.jettons(rawOf(currency), owner);
  }

  /** Without code, so that it holds exactly what it is sent. */
  newAddress(): string {
    return new Address(0, randomBytes(32)).toString({ bounceable: false, urlSafe: true });
  }

  async payer(): Promise<TonPayer> {
    const user = this.users[this.#turn++ % this.users.length];
    if (user === undefined) throw new Error('no users');
    return user;
  }

  async pay(payer: TonPayer, quote: Quote): Promise<string> {
    let last: string | undefined;
    for (const { data } of quote.steps.flatMap((step) => step.items))
      last = await devnet.sendStep(payer, this.url, data as unknown as Readonly<Record<string, unknown>>);
    if (last === undefined) throw new Error('the quote has no steps');
    return last;
  }

  /** What a block has is final. */
  async advance(): Promise<void> {}

  history(addresses: PaidAddresses = NO_ADDRESSES): Promise<ChainHistory> {
    return this.reported.read(addresses);
  }

  inventory(): Promise<readonly Omit<Inventory, 'before'>[]> {
    return this.ofEach([this.solver]);
  }

  async pots(addresses: PaidAddresses = NO_ADDRESSES): Promise<readonly Pot[]> {
    const now = await this.ofEach([this.depository, ...addresses.keys()]);
    return now.map((pot) => {
      const before = this.before.find(({ token }) => token === pot.token)?.before;
      return before === undefined ? pot : { ...pot, before };
    });
  }

  /** The mempool is not visible; a block takes all of it or drops it permanently. */
  async waiting(): Promise<number> {
    return 0;
  }

  private ofEach(owners: readonly string[]) {
    return Promise.all(
      this.seeded.currencies.map(async ({ address: token }) => {
        const all = await Promise.all(owners.map((owner) => this.held(rawOf(owner), token)));
        return { chainId: this.id, token, now: all.reduce((sum, one) => sum + one, 0n) };
      }),
    );
  }
}

function watchedOf({ id, contracts, currencies }: SeededChain): Watched {
  const jettons = currencies.filter(({ address }) => address !== NATIVE);
  return {
    ...{ id, fill: rawOf(contracts['inventory'] ?? ''), vault: rawOf(contracts['depository'] ?? '') },
    minters: new Map(jettons.map(({ address }) => [address, rawOf(address)])),
  };
}

function rawOf(text: string): string {
  return Address.parse(text).toRawString();
}
