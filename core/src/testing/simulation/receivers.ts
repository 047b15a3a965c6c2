import type { EndpointChannel, Notifier, NotifierOutcome, OutboxEvent } from '../../contract/notifier.js';
import type { SeededRandom } from '../seeded-random.js';
import type { EndpointPlan, Mood } from './scenario.js';
import type { World } from './world.js';

const ATTEMPT_TIMEOUT_MS = 8_000;

export const CHANNEL = 'posts';

type Way =
  | 'takes'
  | 'refuses'
  | 'postpones'
  | 'hangs'
  | 'takesAndHangs'
  /** Accepts after the sender's timeout. */
  | 'takesLate'
  /** Accepts after seconds, in time. */
  | 'takesSlowly'
  /** Accepts, and its sender sees a failure. */
  | 'takesUnheard'
  | 'isGone';

const WAYS: Readonly<Record<Mood, readonly Way[]>> = {
  well: ['takes'],
  failing: ['refuses', 'refuses', 'refuses', 'takes'],
  hanging: ['hangs', 'takesAndHangs', 'takesLate', 'takes'],
  slow: ['takesSlowly'],
  losing: ['takesUnheard', 'takesUnheard', 'takes'],
  mixed: [
    'takes',
    'takes',
    'refuses',
    'postpones',
    'hangs',
    'takesAndHangs',
    'takesLate',
    'takesSlowly',
    'takesUnheard',
  ],
  gone: ['isGone'],
};

export class Receivers {
  readonly #world: World;
  readonly #plans: readonly EndpointPlan[];
  readonly #random = new Map<number, SeededRandom>();
  readonly #secrets: SeededRandom;
  #isCalm = false;

  constructor(world: World, plans: readonly EndpointPlan[], random: SeededRandom) {
    this.#world = world;
    this.#plans = plans;
    this.#secrets = random.fork('secrets');
    for (const { id } of plans) this.#random.set(id, random.fork(`receiver ${id}`));
  }

  /** All accept at once from now on. */
  calm(): void {
    this.#isCalm = true;
  }

  notifiers(): readonly Notifier[] {
    return this.#plans.flatMap((plan): Notifier[] => {
      if (plan.integrator !== null) return [];
      const id = configuredName(plan);
      return [{ id, deliver: (event) => this.#post(plan, id, event) }];
    });
  }

  channel(): EndpointChannel {
    return {
      id: CHANNEL,
      newSecret: () => this.#secrets.hex(16),
      refuse: async () => undefined,
      deliver: async (event, { id, url, secrets }) => {
        const plan = this.#plans.find((one) => urlOf(one) === url);
        if (plan === undefined) throw new Error(`no receiver is at ${url}`);
        this.#world.reported.signed(id, secrets);
        return this.#post(plan, id, event);
      },
    };
  }

  async #post(plan: EndpointPlan, endpointId: string, event: OutboxEvent): Promise<NotifierOutcome> {
    const { clock, reported } = this.#world;
    const random = this.#random.get(plan.id) ?? this.#secrets;
    const way = this.#isCalm ? 'takes' : random.pick(WAYS[this.#moodOf(plan)]);
    const post = reported.sent(endpointId, event);
    const body = JSON.stringify(event.payload);
    const arrives = async (least: number, most: number): Promise<void> => {
      await clock.sleep(random.between(least, most));
      reported.received(post, body);
    };
    const fails = (why: string, afterMs = 0): NotifierOutcome => ({ outcome: 'retry', afterMs, why });
    const givesUp = async (): Promise<NotifierOutcome> => {
      await clock.sleep(ATTEMPT_TIMEOUT_MS);
      return fails('no answer');
    };
    this.#world.note('receiver', `${endpointId} ${way} ${event.id}`);
    switch (way) {
      case 'takes':
        await arrives(1, 80);
        return { outcome: 'delivered', answer: { status: 204, body: '' } };
      case 'takesSlowly':
        await arrives(1_000, 6_000);
        return { outcome: 'delivered' };
      case 'refuses':
        await clock.sleep(random.between(1, 80));
        return { ...fails('answered 503'), answer: { status: 503, body: 'not now' } };
      case 'postpones':
        await clock.sleep(random.between(1, 80));
        return fails('answered 429', random.between(1_000, 20_000));
      case 'hangs':
        return givesUp();
      case 'takesAndHangs':
        void arrives(1, 2_000);
        return givesUp();
      case 'takesLate':
        void arrives(ATTEMPT_TIMEOUT_MS + 1, ATTEMPT_TIMEOUT_MS + 12_000);
        return givesUp();
      case 'takesUnheard':
        await arrives(1, 80);
        this.#world.seen('event accepted without reply');
        return fails('connection lost');
      case 'isGone':
        await clock.sleep(random.between(1, 80));
        this.#world.seen('endpoint gone');
        return { outcome: 'gone', why: 'answered 410' };
    }
  }

  #moodOf({ moods }: EndpointPlan): Mood {
    return moods.filter(({ at }) => at <= this.#world.clock.monotonic()).at(-1)?.mood ?? 'well';
  }
}

export function configuredName({ id }: EndpointPlan): string {
  return `configured ${id}`;
}

export function urlOf({ id }: EndpointPlan): string {
  return `https://receiver-${id}.example`;
}
