const VISIBLE_CHARACTERS = /^[\x21-\x7e]+$/;

/**
 * A value in a text that an account signs: one word, so that different terms have different texts.
 *
 * @throws TypeError on a value that is not one word of visible characters.
 */
export function signedWord(value: string): string {
  if (!VISIBLE_CHARACTERS.test(value)) throw new TypeError('signed terms must consist of visible characters');
  return value;
}
