import type { ChainAdapter } from '../../contract/chain-adapter.js';
import type { OrderId } from '../../contract/ids.js';
import type { ConformanceCase } from '../report-types.js';
import { blamed, named } from './blame.js';
import type { ChainAbility, ChainHarness, ChainProcess, Payment } from './chain-harness.js';
import { Lane } from './lane.js';
import { type Saved, Watch } from './watch.js';

/** What a case works with: the harness and everything it opened, which ends with the case. */
export class ChainStage {
  readonly harness: ChainHarness;
  readonly #opened: { stop(): Promise<void> }[] = [];

  constructor(harness: ChainHarness) {
    this.harness = harness;
  }

  /** A process of the solver. */
  async open(): Promise<ChainProcess> {
    return await this.opened(this.harness.open());
  }

  /** One that was opened in another way. */
  async opened(opening: Promise<ChainProcess>): Promise<ChainProcess> {
    const process = await opening;
    this.#opened.push(process);
    return process;
  }

  async adapter(): Promise<ChainAdapter> {
    return (await this.open()).adapter;
  }

  /** An adapter and its first lane, at the position the chain tells. */
  async lane(adapter?: ChainAdapter): Promise<Lane> {
    return await Lane.at(this.harness, adapter ?? (await this.adapter()));
  }

  /** Follows deposits in the background. Resolves after the first batch: what comes now will be seen. */
  async watch(adapter: ChainAdapter, from?: Saved): Promise<Watch> {
    const watch = new Watch(this.harness, adapter, from);
    this.#opened.push(watch);
    await watch.until('the first batch', () => watch.batches.length > 0);
    return watch;
  }

  /** Pays through the adapter's own steps so much that the amount arrives; waits for inclusion to be asked for. */
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
  /** Default: the first user. */
  readonly payer?: string;
}

interface CaseInput extends Omit<ConformanceCase<ChainHarness>, 'run' | 'subject' | 'needs' | 'read'> {
  readonly needs?: readonly ChainAbility[];
  /** What it is about, where that is another part of the contract than the rest of the subject is about. */
  readonly read?: string;
  run(stage: ChainStage): Promise<void>;
}

/**
 * Cases of one subject. Whatever a case opened is closed after it, however it ends. Every message of theirs says who is wrong, adapter
 * or harness, and what to read.
 *
 * @param about the part of the contract that they are about, such as `ChainDeposits.witness`, or a chapter, `"…" in docs/…`.
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
