import { type NotifierOutcome, NotWrittenError } from '@causeway/core';
import type { Answer } from './http/post.js';

/**
 * The outcome for a response:
 *
 * - `delivered`: the recipient accepted the event.
 * - `gone`: the recipient unsubscribed permanently (HTTP 410). Not for any other response: nothing is retried after it.
 * - `retry`: everything else. `afterMs` is the pause that the recipient requests, otherwise your own choice, in milliseconds.
 *
 * `why` must not contain text of the recipient. `answer` may contain it, at most 1,024 characters.
 */
export function outcomeOf(_answer: Extract<Answer, { ok: true }>): NotifierOutcome {
  throw new NotWrittenError('outcomeOf: return delivered, retry or gone for a response', 'src/outcome.ts');
}

/** The outcome for a timeout or a lost connection: `retry`, because the event may or may not have arrived. Never `gone`. */
export function outcomeOfNoAnswer(_why: string): NotifierOutcome {
  throw new NotWrittenError('outcomeOfNoAnswer: return retry, with a pause', 'src/outcome.ts');
}
