/**
 * Text that PostgreSQL can store: NUL and lone surrogates become U+FFFD. Both come from outside (a client's referrer,
 * a revert reason), and refusing the row would leave its money stuck.
 */
export function storable(text: string): string {
  return UNSTORABLE.test(text) ? text.replace(ALL_UNSTORABLE, '\ufffd') : text;
}

const UNSTORABLE = /[\0\p{Surrogate}]/u;
const ALL_UNSTORABLE = /[\0\p{Surrogate}]/gu;
