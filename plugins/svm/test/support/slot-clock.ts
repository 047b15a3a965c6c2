import { setTimeout as delay } from 'node:timers/promises';
import { rpc } from '../../src/devnet/rpc.js';

/** What the node's own clock takes for a slot while it runs, milliseconds. */
export const QUICK_MS = 5;
/** Slots that are left for single steps where many are asked for: how soon a clock that runs is stopped is not certain. */
const MARGIN = 24;

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/**
 * The clock of a local node in the hands of a test. It stands, and makes a slot when it is told to: at a steady beat, or as
 * many as are asked for, as quickly as the node can. So nothing runs out because a machine is slow: while the test does not
 * run, the chain does not either.
 *
 * The chain's time goes on by `QUICK_MS` a slot, however long the slots took.
 */
export class SlotClock {
  readonly #url: string;
  readonly #beatMs: number;
  #turn: Promise<unknown> = Promise.resolve();
  /** Beats of this number go on. */
  #beats = 0;
  #beating: Promise<unknown> = Promise.resolve();

  constructor(url: string, beatMs: number) {
    this.#url = url;
    this.#beatMs = beatMs;
  }

  /** A slot with every beat from here on. */
  run(): void {
    this.#beats += 1;
    this.#beating = this.#beat(this.#beats).catch(() => undefined);
  }

  /** Makes no slot any more but those that are asked for. */
  async hold(): Promise<void> {
    await this.end();
    await this.#stop();
  }

  /** Asks the node for nothing any more. */
  async end(): Promise<void> {
    this.#beats += 1;
    await this.#beating;
    await this.#turn;
  }

  /** At least this many slots more; a few above that on a busy machine. */
  async advance(slots: number): Promise<void> {
    await this.reach('processed', (await this.slot('processed')) + slots);
  }

  /** Makes slots until this one is there, as far as that. */
  reach(commitment: Commitment, slot: number): Promise<void> {
    return this.#next(async () => {
      const left = slot - (await this.slot(commitment));
      if (left > 2 * MARGIN) await this.#rush(commitment, slot - MARGIN);
      while ((await this.slot(commitment)) < slot) await this.#step();
    });
  }

  /** Makes slots until it holds. */
  async until(good: () => Promise<boolean>): Promise<void> {
    while (!(await good())) await this.advance(1);
  }

  slot(commitment: Commitment): Promise<number> {
    return rpc<number>(this.#url, 'getSlot', [{ commitment }]);
  }

  async #beat(mine: number): Promise<void> {
    while (this.#beats === mine) {
      await this.#next(() => this.#step());
      await delay(this.#beatMs);
    }
  }

  /** One after the other. */
  #next(task: () => Promise<void>): Promise<void> {
    const work = this.#turn.then(task);
    this.#turn = work.catch(() => undefined);
    return work;
  }

  async #rush(commitment: Commitment, slot: number): Promise<void> {
    await rpc(this.#url, 'surfnet_resumeClock');
    while ((await this.slot(commitment)) < slot) await delay(QUICK_MS);
    await this.#stop();
  }

  async #step(): Promise<void> {
    await rpc(this.#url, 'surfnet_resumeClock');
    await this.#stop();
  }

  async #stop(): Promise<void> {
    await rpc(this.#url, 'surfnet_pauseClock');
  }
}
