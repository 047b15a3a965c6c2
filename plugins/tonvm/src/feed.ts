import type { BlockRef, UnixMs } from '@causeway/core';
import { isTransportError, type ProviderPool, TransportError } from '@causeway/core/rpc';
import { NATIVE } from './addresses.js';
import type { Blocks } from './chain/blocks.js';
import { readAccount, type TonAccount, type TonProvider } from './chain/read.js';
import type { Toncenter } from './http/toncenter.js';
import type { JettonBook } from './jetton-book.js';
import { heldBy, walletOf } from './jettons.js';
import type { TonvmServices } from './services.js';
import { seqnoOf } from './wallet.js';

/** What is known of one of our wallets. */
export interface OwnAccount {
  readonly seqno: number;
  /** Smallest unit, by currency. */
  readonly held: ReadonlyMap<string, bigint>;
}

/** What is known of the chain without asking. */
export interface News {
  readonly head: BlockRef;
  /** By raw address. */
  readonly accounts: ReadonlyMap<string, OwnAccount>;
  /** When it was read last. */
  readonly at: UnixMs;
}

/** A head that nobody told of again for so long is no floor any more: the providers were replaced. */
const FLOOR_MS = 60_000;

/**
 * Looks at the head every moment and keeps what the warm methods answer from. Accounts are read again with each new head, and only
 * then. It is the only thing that polls by itself.
 */
export class Feed {
  readonly #providers: ProviderPool<Toncenter>;
  readonly #blocks: Blocks;
  readonly #jettons: JettonBook;
  readonly #owners: readonly string[];
  readonly #pollMs: number;
  readonly #services: TonvmServices;
  readonly #stop = new AbortController();
  #current: News | undefined;
  #time = 0;
  #highest = { height: 0, at: Number.NEGATIVE_INFINITY };
  #waiting: (() => void)[] = [];
  #poke: () => void = () => undefined;
  #running: Promise<void> = Promise.resolve();
  #trouble: string | null = 'nothing was read yet';

  constructor(
    providers: ProviderPool<Toncenter>,
    parts: { readonly blocks: Blocks; readonly jettons: JettonBook; readonly owners: readonly string[] },
    pollMs: number,
    services: TonvmServices,
  ) {
    this.#providers = providers;
    this.#blocks = parts.blocks;
    this.#jettons = parts.jettons;
    this.#owners = parts.owners;
    this.#pollMs = pollMs;
    this.#services = services;
  }

  get current(): News | undefined {
    return this.#current;
  }

  /** Why the last look found nothing; null where it did. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Height below which a provider knows nothing about absence: the highest head that any of them told of. */
  floor(): number {
    const { height, at } = this.#highest;
    return this.#services.clock.monotonic() - at > FLOOR_MS ? 0 : height;
  }

  /** The chain's own time as far as anybody told, Unix seconds: what is signed by an older one runs out sooner than it should. */
  get time(): number {
    return this.#time;
  }

  /** An account was read as of a block of this time. */
  saw(utime: number): void {
    this.#time = Math.max(this.#time, utime);
  }

  get ended(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Resolves after the first look, whether it succeeded or not. */
  async start(): Promise<void> {
    await this.#look();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#poke();
    this.#tell();
    await this.#running;
  }

  /** Looks now. A hint, never a source of truth. */
  hint(): void {
    this.#poke();
  }

  /** Resolves at the next look, when the feed stops, and when `signal` aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#stop.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.push(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** The head as a provider tells it now. @throws TransportError where it is behind one that was told before. */
  async head(provider: TonProvider): Promise<BlockRef> {
    const { block } = await this.#blocks.head(provider);
    this.saw(Math.floor(block.timestamp / 1_000));
    if (block.height < this.floor())
      throw new TransportError(`${provider.name} lags behind at ${block.height} of ${this.floor()}`, 'malformed');
    if (block.height >= this.#highest.height)
      this.#highest = { height: block.height, at: this.#services.clock.monotonic() };
    return block;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const poked = new AbortController();
      this.#poke = () => poked.abort();
      await this.#services.clock.sleep(this.#pollMs, AbortSignal.any([poked.signal, this.#stop.signal]));
      if (!this.#stop.signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<void> {
    try {
      this.#current = await this.#providers.run((provider) => this.#read(provider));
      const missing = this.#jettons.missing();
      this.#trouble = missing.length === 0 ? null : `jettons whose wallets cannot be told: ${missing.join(', ')}`;
    } catch (error) {
      this.#trouble = (error as Error).message;
      if (!isTransportError(error)) this.#services.log.warn({ err: error }, 'the head could not be read');
    }
    this.#tell();
  }

  async #read(provider: TonProvider): Promise<News> {
    await this.#jettons.learn(provider).catch((error: unknown) => {
      if (isTransportError(error)) throw error;
    });
    const head = await this.head(provider);
    const known = this.#current;
    const at = this.#services.clock.now();
    if (known?.head.id === head.id) return { ...known, at };
    const accounts = new Map<string, OwnAccount>();
    for (const owner of this.#owners) accounts.set(owner, await this.#own(provider, owner, head.height));
    return { head, accounts, at: this.#services.clock.now() };
  }

  async #own(provider: TonProvider, owner: string, floor: number): Promise<OwnAccount> {
    const account = await readAccount(provider, owner, floor);
    const held = new Map([[NATIVE, account.balance]]);
    for (const jetton of this.#jettons.all()) {
      const wallet: TonAccount = await readAccount(provider, walletOf(jetton, owner), floor);
      held.set(jetton.currency, heldBy(jetton.layout, wallet.data));
    }
    return { seqno: seqnoOf(account.data), held };
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
