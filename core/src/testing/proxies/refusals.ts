import type { FaultServer } from './fault-server.js';
import type { FaultCall } from './faults.js';

/** What a provider behind a proxy is asked, by name, and the refusal of one question. */
export interface Refusals {
  /** Names of the questions so far, each once. */
  asked(): readonly string[];
  /** From now on this question is refused in these words, and every other one is answered. */
  refuse(question: string, words: string): void;
}

/**
 * @param questionOf the name of the question that a call asks: its method, and what it is asked for where that is another question.
 * @param refusal how providers of the family refuse a question.
 */
export function refusalsOf<C extends FaultCall, F extends string | object>(
  proxy: FaultServer<C, F>,
  questionOf: (call: C) => string,
  refusal: (words: string) => F,
): Refusals {
  return {
    asked: () => [...new Set(proxy.calls.map(questionOf))],
    refuse: (question, words) => {
      const fault = refusal(words);
      proxy.plan = (call) => (questionOf(call) === question ? fault : 'pass');
    },
  };
}
