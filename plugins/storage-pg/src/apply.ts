import {
  type ApplyOutcome,
  type ChangeSet,
  type Clock,
  CommitUnknownError,
  type Logger,
  type Metrics,
  type Random,
} from '@causeway/core';
import { prepareSet } from '@causeway/core/sql';
import type { Connections } from './connections/connections.js';
import { DatabaseUnreachableError, inTrouble, isRefusal, isRepeatable, takenKey } from './errors.js';
import type { History } from './history.js';
import { type Encoded, encodeSet } from './sql/wire.js';

export interface ApplierDeps {
  readonly connections: Connections;
  /** Statement that calls the apply function. */
  readonly call: string;
  readonly history: History;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** A deadlock needs the same rivals again to repeat; a server that refuses for so long is in other trouble. */
const MOST_TRIES = 10;
const LONGEST_PAUSE_MS = 250;

/**
 * Applies change sets in one round trip each: one statement, which is its own transaction.
 *
 * Invariants: nobody is told `ok` or a conflict but by the server, after its commit. A set is sent again only when the
 * server said that it undid it. When the connection ends before the answer, or the answer does not come in time, the
 * caller is told that the outcome is unknown; nothing is repeated then, for it may be committed. A server that lost what
 * this process was told of takes no set (history.ts).
 */
export class Applier {
  readonly #deps: ApplierDeps;

  constructor(deps: ApplierDeps) {
    this.#deps = deps;
  }

  async apply(set: ChangeSet): Promise<ApplyOutcome> {
    const encoded = encodeSet(prepareSet(set));
    const { clock, metrics, log } = this.#deps;
    const started = clock.monotonic();
    for (let tries = 1; ; tries += 1) {
      try {
        const outcome = await this.#once(encoded);
        metrics.observe('apply', 'Time to apply a change set', clock.monotonic() - started);
        return outcome;
      } catch (error) {
        if (isRepeatable(error) && tries < MOST_TRIES) {
          metrics.count('apply_repeats', 'Change sets sent again because the server undid them for a rival');
          log.debug({ set: set.name, tries, error: String(error) }, 'undone for a rival; sent again');
          await clock.sleep(this.#pause(tries));
          continue;
        }
        const gone = this.#deps.history.wentBack(error);
        if (gone) throw gone;
        const conflict = takenKey(error);
        if (conflict) return { ok: false, conflict };
        if (error instanceof DatabaseUnreachableError || isRefusal(error)) throw inTrouble(error);
        throw new CommitUnknownError('the commit was not confirmed', { cause: error });
      }
    }
  }

  async #once({ text, conflict }: Encoded): Promise<ApplyOutcome> {
    const { connections, call, history } = this.#deps;
    const { rows } = await connections.run({ name: 'apply', text: call, values: [text, ...history.known()] });
    const verdict = rows[0]?.['verdict'];
    history.note(rows[0]?.['position']);
    if (verdict === null) return { ok: true };
    const [step, unique] = String(verdict).split('.').map(Number);
    return { ok: false, conflict: conflict(step!, unique!) };
  }

  #pause(tries: number): number {
    return Math.min(LONGEST_PAUSE_MS, 2 ** tries) * (0.5 + this.#deps.random.fraction());
  }
}
