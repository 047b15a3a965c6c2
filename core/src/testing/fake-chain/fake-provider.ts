import type { Clock } from '../../contract/clock.js';
import type { FakeBlock } from './block-tree.js';
import type { ChainCore } from './chain-core.js';
import type {
  FakeCall,
  FakeDeposit,
  FakeDepositInput,
  FakeMethod,
  FakeProviderControls,
  FaultPlan,
} from './fake-chain-types.js';
import type { FakeTransaction } from './transaction.js';

/** The call may or may not have been served. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** An answer that proves nothing. */
export class OddAnswer extends Error {
  override readonly name = 'OddAnswer';
}

export interface ProviderSite {
  readonly core: ChainCore;
  readonly clock: Clock;
  readonly plan: () => FaultPlan | undefined;
  readonly latency: () => number;
  /** A deposit transaction on top of a block, in no pool. */
  readonly depositOf: (input: FakeDepositInput, head: FakeBlock) => FakeTransaction;
  readonly changed: () => void;
  readonly counted: () => void;
}

export class FakeProvider implements FakeProviderControls {
  readonly index: number;
  readonly #site: ProviderSite;
  #tip: FakeBlock | undefined;
  #firm = 0;
  #down = false;
  #lag = 0;
  #receiptsLate = 0;
  #eventsLate = 0;
  refusing = false;
  rejecting = false;
  poolBlind = false;

  constructor(index: number, site: ProviderSite) {
    this.index = index;
    this.#site = site;
  }

  get down(): boolean {
    return this.#down;
  }

  set down(down: boolean) {
    this.#down = down;
    this.#site.changed();
  }

  get lag(): number {
    return this.#lag;
  }

  set lag(blocks: number) {
    this.#lag = Math.max(0, blocks);
    this.#site.changed();
  }

  get receiptsLate(): number {
    return this.#receiptsLate;
  }

  /** Without receipts of final blocks a node would prove a falsehood that no adapter can detect. */
  set receiptsLate(blocks: number) {
    this.#receiptsLate = Math.min(Math.max(0, blocks), this.#site.core.finalityDepth - 1);
    this.#site.changed();
  }

  get eventsLate(): number {
    return this.#eventsLate;
  }

  set eventsLate(blocks: number) {
    this.#eventsLate = Math.max(0, blocks);
    this.#site.changed();
  }

  diverge(depth: number, deposits: readonly FakeDepositInput[] = []): void {
    const { core } = this.#site;
    let tip = core.tree.ancestor(core.head, core.head.height - depth);
    for (let n = 0; n < Math.max(1, depth, deposits.length); n += 1) {
      const input = deposits[n];
      tip = core.mineApart(tip, input === undefined ? [] : [this.#site.depositOf(input, tip)]);
    }
    this.#tip = tip;
    this.#reports();
    this.#site.changed();
  }

  rejoin(): void {
    this.#tip = undefined;
    this.#site.changed();
  }

  followed(): void {
    if (this.#tip === undefined) return;
    this.#tip = this.#site.core.mineApart(this.#tip, []);
    this.#reports();
  }

  #reports(): void {
    this.#firm = Math.max(this.#firm, this.finalized.height);
  }

  apart(): readonly FakeDeposit[] {
    const { tree } = this.#site.core;
    const deposits: FakeDeposit[] = [];
    for (let at = this.#tip ?? null; at !== null && !tree.isCanonical(at); at = at.parent)
      deposits.push(...at.deposits);
    return deposits;
  }

  get forkHeight(): number {
    const { tree } = this.#site.core;
    let at: FakeBlock | null = this.head;
    while (at !== null && !tree.isCanonical(at)) at = at.parent;
    return at?.height ?? 0;
  }

  get head(): FakeBlock {
    if (this.#tip !== undefined) return this.#tip;
    const { tree, head } = this.#site.core;
    return this.#lag === 0 ? head : tree.ancestor(head, head.height - this.#lag);
  }

  get finalized(): FakeBlock {
    return this.#site.core.finalized(this.head);
  }

  get firm(): number {
    return this.#firm;
  }

  get receiptHead(): FakeBlock {
    return this.#site.core.tree.ancestor(this.head, this.head.height - this.#receiptsLate);
  }

  get eventHead(): FakeBlock {
    return this.#site.core.tree.ancestor(this.head, this.head.height - this.#eventsLate);
  }

  get core(): ChainCore {
    return this.#site.core;
  }

  /** `serve` runs at once or on arrival. @throws NoAnswer or OddAnswer; anything else is a bug. */
  async call<T>(method: FakeMethod, serve: (node: FakeProvider) => T): Promise<T> {
    const site = this.#site;
    site.counted();
    const call: FakeCall = { chainId: site.core.contracts.chainId, provider: this.index, method };
    const fault = site.plan()?.(call);
    const latency = site.latency();
    if (latency > 0) await site.clock.sleep(latency);
    if (this.#down) throw new NoAnswer(`provider ${this.index} is down`);
    if (fault === undefined) return serve(this);
    switch (fault.kind) {
      case 'dropBefore':
        await site.clock.sleep(fault.ms);
        throw new NoAnswer('the connection failed');
      case 'dropAfter':
        serve(this);
        await site.clock.sleep(fault.ms);
        throw new NoAnswer('the connection failed');
      case 'slow': {
        const answer = serve(this);
        await site.clock.sleep(fault.ms);
        return answer;
      }
      case 'delayed':
        await site.clock.sleep(fault.ms);
        return serve(this);
      case 'oddError':
        throw new OddAnswer(fault.message);
      case 'oddReply':
        serve(this);
        throw new OddAnswer(fault.message);
    }
  }
}
