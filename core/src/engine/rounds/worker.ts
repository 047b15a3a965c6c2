import { NotYetError } from '../../contract/not-yet.js';
import { DatabaseWentBackError } from '../../contract/store.js';
import { LeaseLost, type Tenure } from '../../leases/tenure.js';
import { type EngineContext, mayWork, type WorkContext, workContext } from '../base/context.js';

const FAILURE_PAUSE_MS = 1_000;
/** What a moment should have mended, and did not in this time, has failed. */
const MOST_PUT_OFF_MS = 30_000;

/** A loop that runs on a wake-up or at the latest after `everyMs`, one round at a time. */
export interface Worker {
  wake(): void;
  /** Resolves when the round in progress has ended after stopping. */
  readonly done: Promise<void>;
}

/** One round; true asks for another at once. What it throws is logged, NotYetError as no failure, and the loop goes on. */
type Round = () => Promise<boolean>;

/** Rounds that may leave work of theirs under way, and what awaits it once the last of them is over. */
interface Rounds {
  readonly round: Round;
  end(): Promise<void>;
}

export interface Rhythm {
  readonly name: string;
  readonly everyMs: number;
  /** How long a wake-up is put off, for work that must give way to what the same event starts elsewhere. */
  readonly lagMs?: number;
}

/** Given as the reason of an abort, so that none is made: making one records a stack, which costs more than a round. */
const WOKEN = 'woken';

/** Sleeps until the next round is due, or `wake` is called. All sleeps share one abort signal until one is interrupted. */
class Alarm {
  #bell = new AbortController();
  #asleep = false;
  #woken = false;

  wake(): void {
    this.#woken = true;
    if (this.#asleep) this.#bell.abort(WOKEN);
  }

  rearm(): void {
    this.#woken = false;
  }

  async sleep(context: EngineContext, ms: number): Promise<void> {
    if (this.#woken) return;
    if (this.#bell.signal.aborted) this.#bell = new AbortController();
    this.#asleep = true;
    await context.clock.sleep(ms, this.#bell.signal);
    this.#asleep = false;
  }
}

/** Work that needs no lease: it writes nothing. Runs until the engine stops. */
export function startFreeWorker(context: EngineContext, rhythm: Rhythm, round: Round): Worker {
  const alarm = new Alarm();
  const over = () => context.stopping.aborted;
  return { wake: () => alarm.wake(), done: loop(context, rhythm, alarm, over, round) };
}

/**
 * Work of one lease: runs while it is held, begins anew when it is claimed again.
 *
 * @param next the present or next holding of the lease; undefined once the engine stops.
 * @param begin makes the rounds of one holding. What a round learns lives in there, and ends with the lease: another
 * process may have worked meanwhile.
 */
export function startWorker(
  host: EngineContext,
  next: () => Promise<Tenure | undefined>,
  rhythm: Rhythm,
  begin: (context: WorkContext) => Round | Rounds,
): Worker {
  const alarm = new Alarm();
  const run = async (): Promise<void> => {
    for (let tenure = await next(); tenure; tenure = await next()) {
      const context = workContext(host, tenure);
      const wake = () => alarm.wake();
      context.stopping.addEventListener('abort', wake);
      const begun = begin(context);
      const { round, end } = typeof begun === 'function' ? { round: begun, end: undefined } : begun;
      await loop(context, rhythm, alarm, () => !mayWork(context), round);
      if (end) await once(context, rhythm, () => end().then(() => false));
      context.stopping.removeEventListener('abort', wake);
    }
  };
  return { wake: () => alarm.wake(), done: run() };
}

/** Since when a worker's rounds were put off, monotonic; undefined once one ended well. */
interface PutOff {
  since?: number | undefined;
}

/** One round. `over`: its lease is lost. */
async function once(
  context: EngineContext,
  { name }: Rhythm,
  round: Round,
  putOff: PutOff = {},
): Promise<'again' | 'idle' | 'failed' | 'over'> {
  const from = context.clock.monotonic();
  try {
    const again = await round();
    const took = context.clock.monotonic() - from;
    putOff.since = undefined;
    context.metrics.observe('worker_round', 'Time of a round of an engine worker that ended well', took, {
      worker: name,
    });
    return again ? 'again' : 'idle';
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof DatabaseWentBackError) {
      // A lost lease, and a database that went back, were logged where they were noticed.
      context.log.info({ worker: name, why: error.message }, 'round ended: its lease is lost');
      return 'over';
    }
    if (error instanceof NotYetError) {
      const now = context.clock.monotonic();
      putOff.since ??= now;
      if (now - putOff.since <= MOST_PUT_OFF_MS) {
        context.log.debug({ worker: name, why: error.message }, 'round put off');
        context.metrics.count(
          'worker_rounds_put_off',
          'Rounds of engine workers that could not be told what they ask yet',
          {
            worker: name,
          },
        );
        return 'failed';
      }
    }
    context.log.error({ worker: name, err: error }, 'round failed');
    context.metrics.count('worker_failures', 'Rounds of engine workers that threw', { worker: name });
    return 'failed';
  }
}

/** Runs rounds until `over` says so; whatever makes it so wakes the alarm as well. */
async function loop(
  context: EngineContext,
  rhythm: Rhythm,
  alarm: Alarm,
  over: () => boolean,
  round: Round,
): Promise<void> {
  const { everyMs, lagMs = 0 } = rhythm;
  const putOff: PutOff = {};
  while (!over()) {
    alarm.rearm();
    const ended = await once(context, rhythm, round, putOff);
    if (ended === 'over') return;
    if (ended === 'again') continue;
    if (ended === 'failed') {
      await context.clock.sleep(FAILURE_PAUSE_MS, context.stopping);
      continue;
    }
    if (!over()) await alarm.sleep(context, everyMs);
    if (lagMs > 0) await context.clock.sleep(lagMs, context.stopping);
  }
}
