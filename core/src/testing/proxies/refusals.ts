import type { FaultServer } from './fault-server.js';
import type { FaultCall } from './faults.js';

/** Named questions to a provider behind a proxy, and refusals of them. */
export interface Refusals {
  /** Names so far, each once. */
  asked(): readonly string[];
  /** From now on this question is refused in these words; all others are answered. */
  refuse(question: string, words: string): void;
}

/**
 * @param questionOf names a call's question: its method, with arguments where they change the question.
 * @param refusal how the family's providers refuse a question.
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
