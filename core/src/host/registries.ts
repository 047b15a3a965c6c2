import type { Registry } from '../contract/plugin.js';

export class DuplicateError extends Error {
  override readonly name = 'DuplicateError';
}

export interface Declined {
  /** The rest of a sentence, such as `no chain that it supports is configured`. */
  readonly why: string;
  readonly elsewhere?: true;
}

export interface Consumer<T> {
  readonly name: string;
  /** Undefined if the item is used. Called after composition; answers from memory. */
  declines(item: T): Declined | undefined;
}

export interface Unused extends Declined {
  readonly owner: string;
  readonly what: string;
}

/** In order of addition, with owners. Duplicates are errors. */
export class OwnedRegistry<T> {
  readonly #kind: string;
  readonly #keysOf: (item: T) => readonly string[];
  readonly #admit: (item: T) => T;
  readonly #items: { readonly item: T; readonly owner: string }[] = [];
  readonly #owners = new Map<string, string>();
  readonly #consumers = new Map<string, Consumer<T>>();

  /**
   * @param kind for messages, e.g. `chain`. @param keysOf every name that must be unique. @param admit maps an item
   * to what is stored.
   */
  constructor(kind: string, keysOf: (item: T) => readonly string[], admit: (item: T) => T = (item) => item) {
    this.#kind = kind;
    this.#keysOf = keysOf;
    this.#admit = admit;
  }

  for(owner: string): Registry<T> {
    return { add: (item) => this.#add(item, owner) };
  }

  all(): readonly T[] {
    return this.#items.map(({ item }) => item);
  }

  owned(): readonly { readonly item: T; readonly owner: string }[] {
    return this.#items;
  }

  /** Consumers must be declared before they take items, so that unused ones are known. */
  declare(consumer: Consumer<T>): void {
    this.#consumers.set(consumer.name, consumer);
  }

  takenBy(name: string): readonly T[] {
    if (!this.#consumers.has(name)) throw new Error(`${name} uses the registry of ${this.#kind}s undeclared`);
    return this.all();
  }

  /** Items that every consumer declines, with the reason of the closest one. */
  unused(): readonly Unused[] {
    return this.#items.flatMap(({ item, owner }) => {
      const answers = [...this.#consumers.values()].map((consumer) => consumer.declines(item));
      if (answers.includes(undefined)) return [];
      const reasons = answers.filter((answer) => answer !== undefined);
      const reason = reasons.find(({ elsewhere }) => elsewhere) ??
        reasons[0] ?? { why: `nothing in this build asks a ${this.#kind}` };
      return [{ ...reason, owner, what: `${this.#kind} ${this.#keysOf(item)[0]}` }];
    });
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
