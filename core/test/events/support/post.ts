import type { Clock, Notifier, OutboxEvent } from '../../../src/contract/index.js';

type Told = Awaited<ReturnType<Notifier['deliver']>>;

/** A recipient behind a notifier: how it answers is told by the test, and what arrived is kept. */
export class Recipient implements Notifier {
  readonly id: string;
  /** In order of arrival, each arrival counted. */
  readonly arrived: OutboxEvent[] = [];
  /** Times of tries. */
  readonly tries: number[] = [];
  /** Milliseconds that an answer takes. */
  takes = 5;
  answers: (event: OutboxEvent) => 'ok' | 'fails' | 'gone' | 'throws' | 'lost' | { readonly afterMs: number } = () =>
    'ok';
  readonly #clock: Clock;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.#clock = clock;
  }

  async deliver(event: OutboxEvent): Promise<Told> {
    this.tries.push(this.#clock.now());
    const answer = this.answers(event);
    await this.#clock.sleep(this.takes);
    if (answer === 'ok' || answer === 'lost') this.arrived.push(event);
    if (answer === 'ok') return { outcome: 'delivered' };
    if (answer === 'gone') return { outcome: 'gone', why: 'answered 410' };
    if (answer === 'throws') throw new Error('a bug of the notifier');
    return { outcome: 'retry', afterMs: typeof answer === 'object' ? answer.afterMs : 0, why: String(answer) };
  }

  /** `request:sequence` of each arrival. */
  told(): string[] {
    return this.arrived.map(({ id }) => id);
  }

  /** Without repetitions. */
  first(): string[] {
    return [...new Set(this.told())];
  }
}
