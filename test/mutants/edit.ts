/** One change of a source. */
export interface Edit {
  readonly file: string;
  /** Must occur exactly once in the file, so that a change of the code cannot make the mutant miss unseen. */
  readonly find: string;
  readonly replace: string;
}

export type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** The source with the change. */
export function edited({ file, find, replace }: Edit, source: string): Edited {
  const found = source.split(find).length - 1;
  if (found !== 1) return { ok: false, why: `${file} has the text ${found} times, not once` };
  if (find === replace) return { ok: false, why: 'it changes nothing' };
  return { ok: true, text: source.replace(find, () => replace) };
}
