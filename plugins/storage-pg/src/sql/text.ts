/**
 * The text as PostgreSQL can hold it: zero characters and halves of surrogate pairs become U+FFFD. Both come from
 * outside (a client's referrer, the reason of a revert), and refusing a row for them would leave its money stuck.
 */
export function storable(text: string): string {
  return UNSTORABLE.test(text) ? text.replace(ALL_UNSTORABLE, '\ufffd') : text;
}

const UNSTORABLE = /[\0\p{Surrogate}]/u;
const ALL_UNSTORABLE = /[\0\p{Surrogate}]/gu;
