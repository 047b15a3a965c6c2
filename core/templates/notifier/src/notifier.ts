import type { Clock, Notifier } from '@causeway/core';
import { post } from './http/post.js';
import type { Options } from './options.js';
import { outcomeOf, outcomeOfNoAnswer } from './outcome.js';
import { requestOf } from './request.js';

/**
 * Tells one recipient. `deliver` never rejects: trouble is an outcome. It ends by itself within `timeoutMs`, and it says `delivered`
 * only of what has arrived.
 */
export function notifier(id: string, options: Options, token: string, clock: Clock): Notifier {
  return {
    id,
    deliver: async (event) => {
      const answer = await post(options.url, requestOf(event, token), options.timeoutMs, clock);
      return answer.ok ? outcomeOf(answer) : outcomeOfNoAnswer(answer.why);
    },
  };
}
