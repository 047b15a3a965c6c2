import { commit, type WorkContext } from '../base/context.js';
import { putMeta } from '../base/put-meta.js';
import { UnitOfWork } from '../base/unit-of-work.js';

/** A pot's holdings beyond its books. */
export interface Surplus {
  /** Smallest surplus found since it began, smallest unit. */
  readonly least: bigint;
  /** Milliseconds of observation, without downtime of the service. */
  readonly forMs: number;
}

/** Notes are durable writes; a restart loses at most this much observation. Milliseconds. */
const NOTE_INTERVAL_MS = 10_000;

const NONE = '';

/** Kept over restarts and lease changes: with slow finality, booking a surplus takes long. */
export class SurplusNotes {
  readonly #known = new Map<string, Surplus | undefined>();
  readonly #notedMs = new Map<string, number>();

  async of({ store }: Pick<WorkContext, 'store'>, pot: string): Promise<Surplus | undefined> {
    if (!this.#known.has(pot)) {
      const surplus = read((await store.meta(keyOf(pot)))?.value);
      this.#known.set(pot, surplus);
      this.#notedMs.set(pot, surplus?.forMs ?? 0);
    }
    return this.#known.get(pot);
  }

  async keep(context: WorkContext, pot: string, surplus: Surplus): Promise<void> {
    const before = await this.of(context, pot);
    this.#known.set(pot, surplus);
    const isNoted = surplus.forMs - (this.#notedMs.get(pot) ?? 0) < NOTE_INTERVAL_MS;
    if (before?.least === surplus.least && isNoted) return;
    await this.#write(context, pot, surplus, new UnitOfWork());
  }

  /** @param unit what ends it; written atomically with that. */
  async end(context: WorkContext, pot: string, unit = new UnitOfWork()): Promise<void> {
    if ((await this.of(context, pot)) === undefined) return;
    await this.#write(context, pot, undefined, unit);
  }

  async #write(context: WorkContext, pot: string, surplus: Surplus | undefined, unit: UnitOfWork): Promise<void> {
    // Read again after a failure: with a lost reply it is unknown what was written.
    this.#known.delete(pot);
    await putMeta(context, unit, keyOf(pot), () => write(surplus));
    if (!(await commit(context, 'engine.unclaimed', unit)).ok) return;
    this.#known.set(pot, surplus);
    this.#notedMs.set(pot, surplus?.forMs ?? 0);
  }
}

function keyOf(pot: string): string {
  return `surplus:${pot}`;
}

function write(surplus: Surplus | undefined): string {
  return surplus === undefined ? NONE : JSON.stringify({ least: surplus.least.toString(), forMs: surplus.forMs });
}

function read(text: string | undefined): Surplus | undefined {
  if (text === undefined || text === NONE) return undefined;
  const { least, forMs } = JSON.parse(text) as { readonly least: string; readonly forMs: number };
  return { least: BigInt(least), forMs };
}
