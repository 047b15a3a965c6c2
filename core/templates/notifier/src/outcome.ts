import { type NotifierOutcome, NotWrittenError } from '@causeway/core';
import type { Answer } from './http/post.js';

/**
 * What an answer means. `delivered`: the recipient has it. `gone`: it wants nothing any more, and says so (HTTP 410); nothing else is
 * that. `retry`: everything else, after the pause that it asks for, else after one of your own. `why` holds nothing of what the
 * recipient wrote; `answer` may tell it to the owner of an endpoint, 1,024 characters of it at most.
 */
export function outcomeOf(_answer: Extract<Answer, { ok: true }>): NotifierOutcome {
  throw new NotWrittenError('outcomeOf: delivered, retry or gone, by what was answered', 'src/outcome.ts');
}

/** Silence and lost connections are doubt: it may have arrived, so it is told again under the same id. Never `gone`. */
export function outcomeOfNoAnswer(_why: string): NotifierOutcome {
  throw new NotWrittenError('outcomeOfNoAnswer: when to try again', 'src/outcome.ts');
}
