import type { Clock } from '@causeway/core';
import { LEADS_INSIDE, LEADS_NOWHERE, TOO_MANY_NAMES } from '@causeway/core/http';
import type { Dispatcher } from 'undici';
import { type Connections, NOT_IN_TIME } from './connections.js';
import type { Watch, Watched } from './watch.js';

/** Milliseconds from the start, per phase. */
export interface Timeouts {
  readonly connectMs: number;
  readonly answerMs: number;
  readonly totalMs: number;
}

export interface Line {
  readonly connections: Connections;
  readonly watch: Watch;
  readonly timeouts: Timeouts;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export interface Post {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answer =
  | { readonly ok: true; readonly status: number; readonly retryAfter: string | undefined; readonly body: string }
  /** `why` never holds a URL, a header or text of the other side. */
  | { readonly ok: false; readonly why: string };

/** Reading an answer up to this size keeps the connection. */
const MAX_BYTES = 64 * 1_024;
const MAX_REPORTED = 1_024;
/** Lower statuses are interim. */
const FIRST_FINAL = 200;

/** The same for missing names and internal names, so that probing reveals nothing. */
export const NOWHERE = 'its name leads to no address that may be posted to';

/** Shared, which saves an Error per abort. */
const ANSWER_READ = new Error('enough');

/** Time limit per phase. Follows no redirect. Never rejects. */
export function post({ path, headers, body }: Post, line: Line): Promise<Answer> {
  return new Promise((resolve) => {
    const exchange = new Exchange(line, resolve);
    line.watch.add(exchange);
    try {
      line.connections.dispatch({ path, method: 'POST', headers, body }, exchange);
    } catch (error) {
      exchange.onResponseError(undefined, error as Error);
    }
  });
}

class Exchange implements Dispatcher.DispatchHandler, Watched {
  readonly #line: Line;
  readonly #begun: number;
  readonly #resolve: (answer: Answer) => void;
  #phase: 'connecting' | 'answering' | 'reading' | 'over' = 'connecting';
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #retryAfter: string | undefined;
  #size = 0;
  readonly #reported: Buffer[] = [];

  constructor(line: Line, resolve: (answer: Answer) => void) {
    this.#line = line;
    this.#begun = line.clock.monotonic();
    this.#resolve = resolve;
  }

  look(now: number): number {
    const [ms, why] = this.#bound();
    if (now < this.#begun + ms) return this.#begun + ms;
    this.#end({ ok: false, why: `${why} within ${ms} ms` }, true);
    return Number.POSITIVE_INFINITY;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#phase === 'over') controller.abort(ANSWER_READ);
    else this.#phase = 'answering';
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    if (status < FIRST_FINAL || this.#phase === 'over') return;
    this.#phase = 'reading';
    this.#status = status;
    const after = headers['retry-after'];
    this.#retryAfter = typeof after === 'string' ? after : undefined;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#size < MAX_REPORTED) this.#reported.push(chunk.subarray(0, MAX_REPORTED - this.#size));
    this.#size += chunk.byteLength;
    if (this.#size > MAX_BYTES) this.#end(this.#answer(), true);
  }

  onResponseEnd(): void {
    this.#end(this.#answer(), false);
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    const why = this.#phase === 'reading' ? 'the answer broke off' : this.#causeOf(error);
    this.#end({ ok: false, why }, false);
  }

  #bound(): readonly [ms: number, why: string] {
    const { connectMs, answerMs, totalMs } = this.#line.timeouts;
    if (this.#phase === 'connecting' && connectMs <= Math.min(answerMs, totalMs)) return [connectMs, 'no connection'];
    if (this.#phase !== 'reading' && answerMs <= totalMs) return [answerMs, 'no answer'];
    return [totalMs, 'no whole answer'];
  }

  #answer(): Answer {
    const body = this.#size === 0 ? '' : Buffer.concat(this.#reported).toString('utf8').replaceAll('\0', '');
    return { ok: true, status: this.#status, retryAfter: this.#retryAfter, body };
  }

  #end(answer: Answer, breaksOff: boolean): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#line.watch.delete(this);
    // A post that waits for a connection is aborted once it has one.
    if (breaksOff) this.#controller?.abort(ANSWER_READ);
    this.#resolve(answer);
  }

  #causeOf(error: Error): string {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    switch (code) {
      case undefined:
        return 'the connection failed';
      case LEADS_INSIDE:
        return 'its name leads to an address of a private network';
      case LEADS_NOWHERE:
        return NOWHERE;
      case TOO_MANY_NAMES:
        return 'too many names are being looked up';
      case NOT_IN_TIME:
        return `no connection within ${this.#line.timeouts.connectMs} ms`;
      // A header with a forbidden character.
      case 'UND_ERR_INVALID_ARG':
      case 'UND_ERR_NOT_SUPPORTED':
        return 'it cannot be sent: look at the headers of the config';
      case 'UND_ERR_SOCKET':
        return 'the connection failed: ECONNRESET';
      default:
        return `the connection failed: ${code}`;
    }
  }
}
