import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { OrderId } from '../../contract/ids.js';
import type { ConformanceCase } from '../report-types.js';
import { blamed, named } from './blame.js';
import type { KitBook } from './book.js';
import type { ChainAbility, ChainHarness, ChainProcess, Payment } from './chain-harness.js';
import { Lane } from './lane.js';
import { type Saved, Watch } from './watch.js';

/** The harness and everything a case opened, which is closed with the case. */
export class ChainStage {
  readonly harness: ChainHarness;
  readonly #opened: { stop(): Promise<void> }[] = [];

  constructor(harness: ChainHarness) {
    this.harness = harness;
  }

  async open(): Promise<ChainProcess> {
    return await this.opened(this.harness.open());
  }

  async opened(opening: Promise<ChainProcess>): Promise<ChainProcess> {
    const process = await opening;
    this.#opened.push(process);
    return process;
  }

  async adapter(): Promise<ChainAdapter> {
    return (await this.open()).adapter;
  }

  /** An adapter and its first lane, at the chain's position. */
  async lane(adapter?: ChainAdapter): Promise<Lane> {
    return await Lane.at(this.harness, adapter ?? (await this.adapter()));
  }

  /** Follows deposits in the background. Resolves after the first batch. */
  async watch(adapter: ChainAdapter, from?: Saved, book?: KitBook): Promise<Watch> {
    const watch = new Watch(this.harness, adapter, from, book);
    this.#opened.push(watch);
    await watch.until('the first batch', () => watch.batches.length > 0);
    return watch;
  }

  /** Pays through the adapter's steps so that exactly the amount arrives; resolves when it waits for inclusion. */
  async deposit(adapter: ChainAdapter, wish: DepositWish): Promise<Payment> {
    const { currency, orderId } = wish;
    const amount = adapter.transferFee?.(currency)?.sentFor(wish.amount) ?? wish.amount;
    const payer = wish.payer ?? this.harness.user(1);
    return await this.harness.pay(payer, adapter.depositSteps({ payer, currency, amount, orderId }));
  }

  async end(): Promise<void> {
    for (const opened of this.#opened.reverse()) await opened.stop();
  }
}

export interface DepositWish {
  readonly currency: string;
  readonly amount: bigint;
  readonly orderId: OrderId;
  readonly payer?: string;
}

interface CaseInput extends Omit<ConformanceCase<ChainHarness>, 'run' | 'subject' | 'needs' | 'read'> {
  readonly needs?: readonly ChainAbility[];
  readonly read?: string;
  run(stage: ChainStage): Promise<void>;
}

/**
 * Cases of one subject. Everything a case opened is closed after it. Messages name the culprit (adapter or harness)
 * and what to read.
 * @param about part of the contract, such as `ChainDeposits.witness`, or a chapter, `"…" in docs/…`.
 */
export function chainCases(
  subject: string,
  about: string,
  cases: readonly CaseInput[],
): readonly ConformanceCase<ChainHarness>[] {
  return cases.map((one) => {
    const read = one.read ?? about;
    const run = async (harness: ChainHarness): Promise<void> => {
      const stage = new ChainStage(named(harness));
      try {
        await one.run(stage);
      } finally {
        await stage.end();
      }
    };
    return {
      ...one,
      subject,
      read,
      run: (harness) => run(harness).catch((error) => Promise.reject(blamed(error, read))),
    };
  });
}
