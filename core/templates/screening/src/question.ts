import { NotWrittenError, type Party, type Verdict } from '@causeway/core';

/** Returns the body of one query about all these parties. Addresses are in their chain's canonical spelling. */
export function questionOf(_parties: readonly Party[]): string {
  throw new NotWrittenError('questionOf: return the body of a query about some parties', 'src/question.ts');
}

/**
 * Returns one verdict per party, in order. `reason` is for operators: at most 200 characters.
 *
 * @throws if the response is invalid or has no verdict for one of the parties: a missing verdict must not count as cleared.
 */
export function verdictsOf(_parties: readonly Party[], _answer: string): readonly Verdict[] {
  throw new NotWrittenError('verdictsOf: return the verdict in a response for each party', 'src/question.ts');
}
