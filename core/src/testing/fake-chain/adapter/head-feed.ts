import type { Clock } from '../../../contract/clock.js';
import type { UnixMs } from '../../../contract/ids.js';
import type { FakeBlock } from '../block-tree.js';
import { stateKey } from '../execution.js';
import { type FakeProvider, NoAnswer, OddAnswer } from '../fake-provider.js';
import type { Openings } from './openings.js';
import type { ProviderSet } from './provider-set.js';

export interface AccountNews {
  readonly balances: ReadonlyMap<string, bigint>;
  readonly spends: number;
  readonly newest: bigint;
}

export interface HeadNews {
  readonly block: FakeBlock;
  readonly baseFee: bigint;
  readonly accounts: ReadonlyMap<string, AccountNews>;
  readonly finalized: number;
  readonly provider: FakeProvider;
  /** Wall time of this process. */
  readonly at: UnixMs;
}

const CUT_BACK_MS = 15_000;
const RETRY_MS = 100;

export interface FeedDeps {
  readonly providers: ProviderSet;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly signers: readonly string[];
  readonly currencies: readonly string[];
  readonly openings: Openings;
  readonly propagation: () => number;
}

/** Follows the head of the first provider that answers, whenever the chain reports a change. */
export class HeadFeed {
  readonly #deps: FeedDeps;
  readonly #waiting = new Set<() => void>();
  #woken = true;
  #wake: (() => void) | undefined;
  #highest = { height: -1, at: 0 };
  current: HeadNews | undefined;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
    deps.signal.addEventListener('abort', () => this.poke(), { once: true });
  }

  poke(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** Resolves with the next news or on `release`. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  release(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }

  /**
   * Height that a provider needs before an absence proves anything. A lower head is accepted as real after
   * `CUT_BACK_MS`.
   */
  floor(): number {
    const { height, at } = this.#highest;
    return this.#deps.clock.monotonic() - at > CUT_BACK_MS ? (this.current?.block.height ?? height) : height;
  }

  async run(): Promise<void> {
    const { signal, clock, propagation, providers } = this.#deps;
    while (!signal.aborted) {
      if (!this.#woken) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        if (signal.aborted) break;
        const delay = propagation();
        if (delay > 0) await clock.sleep(delay, signal);
      }
      if (signal.aborted) break;
      this.#woken = false;
      this.#wake = undefined;
      try {
        await this.#refresh();
      } catch (error) {
        if (!(error instanceof NoAnswer || error instanceof OddAnswer)) throw error;
        this.#woken = true;
        await clock.sleep(providers.problem() === null ? RETRY_MS : providers.pause(), signal);
      }
    }
    this.release();
  }

  async #refresh(): Promise<void> {
    const { providers, signers, currencies, openings, clock } = this.#deps;
    const { answers, ...news } = await providers.run('head', (node) => {
      const state = node.core.after(node.head);
      const accountOf = (signer: string): AccountNews => ({
        balances: new Map(currencies.map((currency) => [currency, state.balance(signer, currency)])),
        spends: Number(state.get(stateKey.sequence(signer))),
        newest: state.get(stateKey.newest(signer)),
      });
      const accounts = new Map(signers.map((signer) => [signer, accountOf(signer)]));
      const finalized = node.finalized.height;
      const warm = { accounts, finalized, answers: openings.ask(node) };
      return { block: node.head, baseFee: node.core.baseFee, ...warm, provider: node };
    });
    if (this.#deps.signal.aborted) return;
    openings.answered(answers);
    this.current = { ...news, at: clock.now() };
    const { height } = news.block;
    if (height >= this.#highest.height) this.#highest = { height, at: clock.monotonic() };
    this.release();
  }
}
