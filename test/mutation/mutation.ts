/** One place of a guard. */
export interface Edit {
  readonly file: string;
  /** Must occur exactly once in the file, so that a change of the code cannot make the mutation miss unseen. */
  readonly find: string;
  readonly replace: string;
}

/** One guard, taken away. */
export interface Mutation extends Edit {
  /** Short and stable, for `--only`. */
  readonly name: string;
  /** What the guard keeps from happening. */
  readonly guard: string;
  /** Guarantees (test/README.md) that rest on it. */
  readonly guarantees: readonly string[];
  /** Where the same guard stands again, as a second line of defence. */
  readonly also?: readonly Edit[];
  /** Lanes to try in this order until one goes red; none may let it pass. */
  readonly lanes: readonly Lane[];
}

/** One vitest run: a project and files or folders of it. */
export interface Lane {
  readonly project: string;
  readonly files: readonly string[];
  /** Only tests with this in their name. */
  readonly test?: string;
}

export type Applied = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

export function editsOf({ file, find, replace, also = [] }: Mutation): readonly Edit[] {
  return [{ file, find, replace }, ...also];
}

/** The source without its guard. */
export function apply({ file, find, replace }: Edit, source: string): Applied {
  const found = source.split(find).length - 1;
  if (found !== 1) return { ok: false, why: `${file} has the guard's text ${found} times, not once` };
  if (find === replace) return { ok: false, why: 'it changes nothing' };
  return { ok: true, text: source.replace(find, () => replace) };
}
