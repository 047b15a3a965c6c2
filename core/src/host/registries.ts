import type { Registry } from '../contract/plugin.js';

/** Two plugins claim the same thing. Names both. */
export class DuplicateError extends Error {
  override readonly name = 'DuplicateError';
}

/** Why a consumer has no use for something that a plugin added. */
export interface Declined {
  /** The rest of a sentence about it, such as `no chain that it supports is configured`. */
  readonly why: string;
  /** Another process of the same service may use it. */
  readonly elsewhere?: true;
}

/** A part of the service that uses what is in a registry. */
export interface Consumer<T> {
  /** Such as `the dispatcher`. */
  readonly name: string;
  /** Undefined where the item is used. Asked once everything is composed; answers from memory. */
  declines(item: T): Declined | undefined;
}

/** What a plugin added, and no part of this process uses. */
export interface Unused extends Declined {
  readonly owner: string;
  /** Such as `price source feeds`. */
  readonly what: string;
}

/** What plugins add, in the order they were added, with who added it. Duplicates never win silently. */
export class OwnedRegistry<T> {
  readonly #kind: string;
  readonly #keysOf: (item: T) => readonly string[];
  readonly #admit: (item: T) => T;
  readonly #items: { readonly item: T; readonly owner: string }[] = [];
  readonly #owners = new Map<string, string>();
  readonly #consumers = new Map<string, Consumer<T>>();

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

  /** Says who will use what is added. Whoever takes something must have been named, so that what nobody uses is known. */
  declare(consumer: Consumer<T>): void {
    this.#consumers.set(consumer.name, consumer);
  }

  /** All of it, for a consumer that was declared. */
  takenBy(name: string): readonly T[] {
    if (!this.#consumers.has(name)) throw new Error(`${name} uses the registry of ${this.#kind}s undeclared`);
    return this.all();
  }

  /** What every consumer declines, with the reason of the one that comes nearest to using it. */
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
