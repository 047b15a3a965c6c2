import type { Clock, Notifier } from '@causeway/core';
import { post } from './http/post.js';
import type { Options } from './options.js';
import { outcomeOf, outcomeOfNoAnswer } from './outcome.js';
import { requestOf } from './request.js';

/**
 * Notifies one recipient. `deliver` never rejects: errors are outcomes. It settles within `timeoutMs`, and resolves to `delivered`
 * only if the recipient confirmed the event.
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
