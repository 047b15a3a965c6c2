import type { Clock, Notifier, OutboxEvent } from '../../../src/contract/index.js';

type Reported = Awaited<ReturnType<Notifier['deliver']>>;

export class Recipient implements Notifier {
  readonly id: string;
  /** With duplicates. */
  readonly arrived: OutboxEvent[] = [];
  readonly tries: number[] = [];
  /** Milliseconds per answer. */
  takes = 5;
  answers: (event: OutboxEvent) => 'ok' | 'fails' | 'gone' | 'throws' | 'lost' | { readonly afterMs: number } = () =>
    'ok';
  readonly #clock: Clock;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.#clock = clock;
  }

  async deliver(event: OutboxEvent): Promise<Reported> {
    this.tries.push(this.#clock.now());
    const answer = this.answers(event);
    await this.#clock.sleep(this.takes);
    if (answer === 'ok' || answer === 'lost') this.arrived.push(event);
    if (answer === 'ok') return { outcome: 'delivered' };
    if (answer === 'gone') return { outcome: 'gone', why: 'answered 410' };
    if (answer === 'throws') throw new Error('a bug of the notifier');
    return { outcome: 'retry', afterMs: typeof answer === 'object' ? answer.afterMs : 0, why: String(answer) };
  }

  /** `request:sequence` per arrival. */
  reported(): string[] {
    return this.arrived.map(({ id }) => id);
  }

  /** Without duplicates. */
  first(): string[] {
    return [...new Set(this.reported())];
  }
}
