import { NotYetError } from '../../contract/not-yet.js';
import { DatabaseWentBackError } from '../../contract/store.js';
import { LeaseLost, type Tenure } from '../../leases/tenure.js';
import { type EngineContext, mayWork, type WorkContext, workContext } from '../base/context.js';

const FAILURE_PAUSE_MS = 1_000;
/** Failures that should pass quickly are reported after this time. */
const MAX_UNREPORTED_MS = 30_000;

/** Runs one round at a time, on wake-up or at the latest after `everyMs`. */
export interface Worker {
  wake(): void;
  /** Resolves when the last round has ended after stopping. */
  readonly done: Promise<void>;
}

/** True asks for another round at once. Errors are logged (NotYetError is no failure), and the loop continues. */
type Round = () => Promise<boolean>;

/** Rounds may leave work in flight, awaited after the last one. */
interface Rounds {
  readonly round: Round;
  end(): Promise<void>;
}

export interface Rhythm {
  readonly name: string;
  readonly everyMs: number;
  /** Delays a wake-up, for work of lower priority. */
  readonly lagMs?: number;
  /** Of rounds that ask for another at once, each is followed by a rest as long: half of the time is left to others. */
  readonly rests?: boolean;
}

/** A fixed abort reason: creating one records a stack, which costs more than a round. */
const WOKEN = 'woken';

/** All sleeps share one abort signal until one is interrupted. */
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

/** Needs no lease: it writes nothing. Runs until the engine stops. */
export function startFreeWorker(context: EngineContext, rhythm: Rhythm, round: Round): Worker {
  const alarm = new Alarm();
  const over = () => context.stopping.aborted;
  return { wake: () => alarm.wake(), done: loop(context, rhythm, alarm, over, round) };
}

/**
 * Runs while a lease is held, restarts when it is claimed again.
 *
 * @param next present or next holding of the lease; undefined once the engine stops.
 * @param begin makes the rounds of one holding. Their state ends with it: others may work in between.
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

/** Monotonic; undefined after a success. */
interface PutOff {
  since?: number | undefined;
}

/** `over`: the lease is lost. */
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
      // The part that noticed the lost lease logged it.
      context.log.info({ worker: name, why: error.message }, 'round ended: its lease is lost');
      return 'over';
    }
    if (error instanceof NotYetError) {
      const now = context.clock.monotonic();
      putOff.since ??= now;
      if (now - putOff.since <= MAX_UNREPORTED_MS) {
        context.log.debug({ worker: name, why: error.message }, 'round put off');
        context.metrics.count(
          'worker_rounds_put_off',
          'Passes of engine workers postponed because what they need could not be read yet',
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

/** `over` also wakes the alarm. */
async function loop(
  context: EngineContext,
  rhythm: Rhythm,
  alarm: Alarm,
  over: () => boolean,
  round: Round,
): Promise<void> {
  const { everyMs, lagMs = 0, rests = false } = rhythm;
  const putOff: PutOff = {};
  while (!over()) {
    alarm.rearm();
    const from = context.clock.monotonic();
    const ended = await once(context, rhythm, round, putOff);
    if (ended === 'over') return;
    if (ended === 'again') {
      if (rests) await context.clock.sleep(context.clock.monotonic() - from, context.stopping);
      continue;
    }
    if (ended === 'failed') {
      await context.clock.sleep(FAILURE_PAUSE_MS, context.stopping);
      continue;
    }
    if (!over()) await alarm.sleep(context, everyMs);
    if (lagMs > 0) await context.clock.sleep(lagMs, context.stopping);
  }
}
