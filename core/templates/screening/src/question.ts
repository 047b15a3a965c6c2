import { NotWrittenError, type Party, type Verdict } from '@causeway/core';

/** The body of one question about all of these parties. Addresses come as their chains write them. */
export function questionOf(_parties: readonly Party[]): string {
  throw new NotWrittenError('questionOf: what is asked about some parties', 'src/question.ts');
}

/**
 * One verdict for each party, in their order. `reason` is for operators, 200 characters of it at most. What is missing in the answer, or
 * is nonsense, clears no one.
 *
 * @throws where the answer does not tell of each of them.
 */
export function verdictsOf(_parties: readonly Party[], _answer: string): readonly Verdict[] {
  throw new NotWrittenError('verdictsOf: a verdict for each party, by what was answered', 'src/question.ts');
}
