import { setTimeout as delay } from 'node:timers/promises';
import { rpc } from '../../src/devnet/rpc.js';

export const QUICK_MS = 5;
/** Slots left for single steps, because stopping a running clock is imprecise. */
const MARGIN = 24;

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/**
 * The clock stands, and makes slots at a steady beat or on request. So nothing expires because a machine is slow. The
 * chain's time advances by `QUICK_MS` per slot.
 */
export class SlotClock {
  readonly #url: string;
  readonly #beatMs: number;
  #turn: Promise<unknown> = Promise.resolve();
  #beats = 0;
  #beating: Promise<unknown> = Promise.resolve();

  constructor(url: string, beatMs: number) {
    this.#url = url;
    this.#beatMs = beatMs;
  }

  run(): void {
    this.#beats += 1;
    this.#beating = this.#beat(this.#beats);
  }

  async hold(): Promise<void> {
    await this.end();
    await this.#stop();
  }

  async end(): Promise<void> {
    this.#beats += 1;
    await this.#beating;
    await this.#turn;
  }

  async advance(slots: number): Promise<void> {
    await this.reach('processed', (await this.slot('processed')) + slots);
  }

  reach(commitment: Commitment, slot: number): Promise<void> {
    return this.#next(async () => {
      const left = slot - (await this.slot(commitment));
      if (left > 2 * MARGIN) await this.#rush(commitment, slot - MARGIN);
      while ((await this.slot(commitment)) < slot) await this.#step();
    });
  }

  async until(good: () => Promise<boolean>): Promise<void> {
    while (!(await good())) await this.advance(1);
  }

  slot(commitment: Commitment): Promise<number> {
    return rpc<number>(this.#url, 'getSlot', [{ commitment }]);
  }

  async #beat(mine: number): Promise<void> {
    while (this.#beats === mine) {
      // A connection that breaks once must not end the beat: nothing would be confirmed any more.
      await this.#next(() => this.#step()).catch(() => undefined);
      await delay(this.#beatMs);
    }
  }

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
