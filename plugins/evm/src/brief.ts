const MAX_CHARACTERS = 300;
const BLANKS = /[\t\n\r]/g;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Surrogate}]/gu;

/** Bounded, and without characters that a log, a terminal or a database could misread: contracts choose their texts. */
export function brief(text: string, most = MAX_CHARACTERS): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(BLANKS, ' ').replace(UNPRINTABLE, '\ufffd');
}
