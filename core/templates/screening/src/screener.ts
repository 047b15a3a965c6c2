import type { Screener } from '@causeway/core';
import { ask } from './http/ask.js';
import type { Options } from './options.js';
import { questionOf, verdictsOf } from './question.js';

/** Throws if the verdicts are unknown now. Then the service refuses quotes (503) and delays payments. */
export function screener(id: string, { url }: Options, token: string): Screener {
  return {
    id,
    screen: async (parties, signal) => {
      if (parties.length === 0) return [];
      return verdictsOf(parties, await ask(url, token, questionOf(parties), signal));
    },
  };
}
