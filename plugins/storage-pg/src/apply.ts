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
import { asUnavailable, DatabaseUnreachableError, isRefusal, isRepeatable, takenKey } from './errors.js';
import type { History } from './history.js';
import { type Encoded, encodeSet } from './sql/wire.js';

export interface ApplierDeps {
  readonly connections: Connections;
  readonly call: string;
  readonly history: History;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** More refusals than this have another cause than concurrent writers. */
const MAX_COMMIT_TRIES = 10;
const MAX_PAUSE_MS = 250;

/**
 * One statement per change set, which is its own transaction.
 *
 * Invariant: `ok` and conflicts come only from the server, after its commit. A set is repeated only when the server
 * undid it. After a lost or late answer the outcome is unknown and nothing is repeated, because the set may be
 * committed.
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
        if (isRepeatable(error) && tries < MAX_COMMIT_TRIES) {
          metrics.count('apply_repeats', 'Change sets sent again because the server undid them for a rival');
          log.debug(
            { set: set.name, tries, error: String(error) },
            'rolled back because of a concurrent transaction; sent again',
          );
          await clock.sleep(this.#pause(tries));
          continue;
        }
        const gone = this.#deps.history.wentBack(error);
        if (gone) throw gone;
        const conflict = takenKey(error);
        if (conflict) return { ok: false, conflict };
        if (error instanceof DatabaseUnreachableError || isRefusal(error)) throw asUnavailable(error);
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
    return Math.min(MAX_PAUSE_MS, 2 ** tries) * (0.5 + this.#deps.random.fraction());
  }
}
