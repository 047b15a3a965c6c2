import { NotWrittenError } from '@causeway/core';

/**
 * What the feed answered, as exact decimal text of US dollars for one whole unit, by the feed's own names.
 *
 * Exact: a number of JSON that is read as a JavaScript number has lost digits; ask for texts, or read with `parseExact` of
 * `@causeway/core`. What is no price (zero, a negative, an exponent, nothing) is left out or thrown on, and never becomes one.
 *
 * @throws where the whole answer is nonsense.
 */
export function pricesOf(_answer: string): ReadonlyMap<string, string> {
  throw new NotWrittenError('pricesOf: the prices in an answer of the feed, as exact decimal text', 'src/reading.ts');
}
