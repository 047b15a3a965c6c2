import type { Registry } from '../contract/plugin.js';

/** Two plugins claim the same thing. Names both. */
export class DuplicateError extends Error {
  override readonly name = 'DuplicateError';
}

/** What plugins add, in the order they were added, with who added it. Duplicates never win silently. */
export class OwnedRegistry<T> {
  readonly #kind: string;
  readonly #keysOf: (item: T) => readonly string[];
  readonly #admit: (item: T) => T;
  readonly #items: { readonly item: T; readonly owner: string }[] = [];
  readonly #owners = new Map<string, string>();

  /** @param kind for messages, e.g. `chain`. @param keysOf every name that must be unique. @param admit what is kept of it. */
  constructor(kind: string, keysOf: (item: T) => readonly string[], admit: (item: T) => T = (item) => item) {
    this.#kind = kind;
    this.#keysOf = keysOf;
    this.#admit = admit;
  }

  /** The registry as one plugin sees it. */
  for(owner: string): Registry<T> {
    return { add: (item) => this.#add(item, owner) };
  }

  all(): readonly T[] {
    return this.#items.map(({ item }) => item);
  }

  owned(): readonly { readonly item: T; readonly owner: string }[] {
    return this.#items;
  }

  #add(item: T, owner: string): void {
    const keys = this.#keysOf(item);
    for (const key of keys) {
      const other = this.#owners.get(key);
      if (other !== undefined)
        throw new DuplicateError(`${this.#kind} ${key} is added by both "${other}" and "${owner}"`);
    }
    for (const key of keys) this.#owners.set(key, owner);
    this.#items.push({ item: this.#admit(item), owner });
  }
}
