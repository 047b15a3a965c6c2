import { NotWrittenError } from '@causeway/core';

/**
 * Parses a response of the feed.
 *
 * @returns USD per whole unit as exact decimal text, for example `"3021.57"`, by the feed's name of the currency. `JSON.parse` loses
 * digits of numbers: let the feed send strings, or use `parseExact` of `@causeway/core`. Omit everything that is no positive plain
 * decimal (zero, negative, with an exponent, empty).
 * @throws if the response as a whole is invalid.
 */
export function pricesOf(_answer: string): ReadonlyMap<string, string> {
  throw new NotWrittenError(
    'pricesOf: parse the prices in a response of the feed, as exact decimal text',
    'src/reading.ts',
  );
}
