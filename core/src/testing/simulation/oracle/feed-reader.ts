import type { Store } from '../../../contract/store.js';
import type { Findings } from './violation.js';

const EVENTS_PAGE = 100;

/** An event consumer that resumes from its position. */
export class FeedReader {
  readonly #findings: Findings;
  #position = 0;
  readonly #sequences = new Map<string, number>();

  constructor(findings: Findings, from?: FeedReader) {
    this.#findings = findings;
    if (!from) return;
    this.#position = from.#position;
    this.#sequences = new Map(from.#sequences);
  }

  copy(): FeedReader {
    return new FeedReader(this.#findings, this);
  }

  async read(events: Store['events']): Promise<void> {
    for (;;) {
      const page = await events(this.#position, EVENTS_PAGE);
      for (const { position, requestId, sequence } of page) {
        if (position <= this.#position)
          this.#findings.say('feed-order', `position ${position} was read after ${this.#position}`);
        const before = this.#sequences.get(requestId) ?? 0;
        if (sequence !== before + 1)
          this.#findings.say('feed-gap', `${requestId}: event ${sequence} was read after ${before}`);
        this.#position = position;
        this.#sequences.set(requestId, sequence);
      }
      if (page.length < EVENTS_PAGE) return;
    }
  }

  heard(requestId: string): number {
    return this.#sequences.get(requestId) ?? 0;
  }
}
