import type { Clock } from '../contract/clock.js';
import type { Logger } from '../contract/observability.js';
import type { Lifecycle } from '../contract/plugin.js';

interface Task {
  readonly owner: string;
  readonly run: () => Promise<void>;
}

export class StartError extends Error {
  override readonly name = 'StartError';
  readonly owner: string;

  constructor(owner: string, cause: unknown) {
    super(`${owner} could not start: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.owner = owner;
  }
}

/**
 * Start tasks run one after the other in dependency order (the order of registration), stop tasks in reverse. A
 * failed start stops what had begun. A stop continues with the next owner when one fails or takes too long.
 */
export class LifecycleRunner {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #starts: Task[] = [];
  readonly #stops: Task[] = [];
  #begun = new Set<string>();

  constructor(deps: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  for(owner: string): Lifecycle {
    return {
      onStart: (run) => void this.#starts.push({ owner, run }),
      onStop: (run) => void this.#stops.push({ owner, run }),
    };
  }

  owners(): readonly string[] {
    return [...this.#starts, ...this.#stops].map(({ owner }) => owner);
  }

  /** @param order owners in dependency order, including those without tasks. */
  async start(order: readonly string[]): Promise<void> {
    for (const owner of order) {
      this.#begun.add(owner);
      for (const task of this.#starts.filter((each) => each.owner === owner)) {
        try {
          await task.run();
        } catch (error) {
          throw new StartError(owner, error);
        }
      }
    }
  }

  /** @param withinMs for all tasks together. Resolves false when a task failed or did not end in time. */
  async stop(withinMs: number): Promise<boolean> {
    const deadline = this.#clock.monotonic() + withinMs;
    const begun = this.#begun;
    this.#begun = new Set();
    let clean = true;
    for (const task of this.#stops.filter((each) => begun.has(each.owner)).reverse()) {
      clean = (await this.#stopOne(task, deadline)) && clean;
    }
    return clean;
  }

  async #stopOne(task: Task, deadline: number): Promise<boolean> {
    const patience = new AbortController();
    const ended = task.run().then(
      () => true,
      (error: unknown) => {
        this.#log.error({ owner: task.owner, err: error }, 'stop failed');
        return false;
      },
    );
    const late = this.#clock
      .sleep(Math.max(0, deadline - this.#clock.monotonic()), patience.signal)
      .then(() => 'late' as const);
    const outcome = await Promise.race([ended, late]);
    patience.abort();
    if (outcome !== 'late') return outcome;
    this.#log.error({ owner: task.owner }, 'did not stop in time');
    return false;
  }
}
